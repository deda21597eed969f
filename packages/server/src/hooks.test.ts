import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentRequest, StoredEvent } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({ config: { live: { answer_seconds: 30 } } })
})
afterAll(() => kit.stop())

const events = async (on = kit): Promise<readonly StoredEvent[]> =>
  unwrap(await on.ledger.read({ after: 0, limit: 1_000 })).rows.map(({ json }) => JSON.parse(json))

const hook = async (payload: object, on = kit, init: RequestInit = {}) =>
  on.request('/hooks/claude-code', {
    method: 'POST',
    headers: { authorization: `Bearer ${await on.token('ingest')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: 's1', cwd: '/work', ...payload }),
    ...init,
  })

describe('POST /hooks/claude-code', () => {
  it('stores what a hook says and answers with nothing at all', async () => {
    const reply = await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'fix it' })
    expect([reply.status, await reply.text()]).toEqual([200, ''])
    expect((await events()).at(-1)).toMatchObject({
      event: 'prompt',
      source: 'claude-code',
      session_id: 's1',
      prompt_preview: 'fix it',
    })
  })

  it('keeps what it does not understand', async () => {
    expect((await hook({ hook_event_name: 'FromTheFuture', x: { y: 1 } })).status).toBe(200)
    expect((await events()).at(-1)).toMatchObject({
      event: 'hook',
      hook: 'FromTheFuture',
      payload: { x: { y: 1 } },
    })
    expect((await hook({}, kit, { body: 'not JSON' })).status).toBe(200)
    expect((await events()).at(-1)).toMatchObject({
      event: 'hook',
      problem: 'is not JSON',
      payload: 'not JSON',
    })
  })

  it('takes as much as the spool does, and refuses more', async () => {
    expect((await hook({ hook_event_name: 'Stop', text: 'x'.repeat(16_700_000) })).status).toBe(200)
    expect((await hook({ hook_event_name: 'Stop', text: 'x'.repeat(16_800_000) })).status).toBe(413)
  })

  it('reads whose an agent is where the client wrote it down', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'panoptes-sidecar-'))
    await mkdir(join(folder, 'nested', 'subagents'), { recursive: true })
    const meta = JSON.stringify({ agentType: 'Explore', toolUseId: 'T2' })
    await writeFile(join(folder, 'nested', 'subagents', 'agent-inner.meta.json'), meta)
    const told = { session_id: 'nested', transcript_path: join(folder, 'nested.jsonl') }
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_use_id: 'T2', agent_id: 'outer' }
    await hook({ ...told, ...call })
    await hook({ ...told, hook_event_name: 'SubagentStart', agent_id: 'inner', agent_type: 'Explore' })
    const parents = async () =>
      unwrap(await kit.ledger.agents({ session: 'nested', limit: 9 })).value.map((agent) => [
        agent.id,
        agent.parent_id,
      ])
    await expect.poll(parents).toContainEqual(['inner', 'outer'])
    await rm(folder, { recursive: true })
  })

  it('takes no more than 2 ms of this process for 2 KB', async () => {
    const authorization = `Bearer ${await kit.token('ingest')}`
    const send = async (index: number) => {
      const tool_input = { command: 'x'.repeat(1_700) }
      const payload = {
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_use_id: `t${index}`,
        tool_input,
      }
      const body = JSON.stringify({ session_id: 's2', cwd: '/work', ...payload })
      const reply = await fetch(`${kit.address}/hooks/claude-code`, {
        method: 'POST',
        headers: { authorization },
        body,
      })
      await reply.text()
    }
    for (let index = 0; index < 50; index += 1) await send(index)
    const rounds: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const before = process.cpuUsage()
      for (let index = 0; index < 40; index += 1) await send(1_000 + round * 40 + index)
      const { user, system } = process.cpuUsage(before)
      rounds.push((user + system) / 1_000 / 40)
    }
    // The client is in the same process, so that this is more than the daemon's part.
    expect(Math.min(...rounds)).toBeLessThan(4)
  })
})

describe("a session that another session's hook started", () => {
  const child = { session_id: 'child' }
  const send = async (payload: object, within: string) =>
    hook({ ...child, ...payload }, kit, {
      headers: { authorization: `Bearer ${await kit.token('ingest')}`, 'x-panoptes-within': within },
    })
  const shown = async () =>
    unwrap(await kit.ledger.agents({ of: [{ source: 'claude-code', session: 'child' }], limit: 9 })).value

  it('is known by the variables of its client, is kept, and is shown nowhere', async () => {
    const stream = await kit.stream('?agents=1')
    await send({ hook_event_name: 'SessionStart', source: 'startup' }, '1:')
    expect(await shown()).toHaveLength(1)
    await stream.until((frames) =>
      frames.some(({ type, data }) => type === 'agents' && JSON.stringify(data).includes('"child"')),
    )
    await send({ hook_event_name: 'UserPromptSubmit', prompt: 'within' }, '1:/work')
    expect(await shown()).toEqual([])
    expect((await events()).at(-1)).toMatchObject({ prompt_preview: 'within', from_hook: true })
    await stream.until((frames) =>
      frames.some(({ gone }) => JSON.stringify(gone)?.includes('"child"') === true),
    )
    stream.ws.close()
  })

  it('asks nobody at the page', async () => {
    const asked = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
    const reply = await send(asked, '1:/work')
    expect([reply.status, await reply.text()]).toEqual([200, ''])
  })

  it('is shown again when a person goes on with it', async () => {
    await send({ hook_event_name: 'SessionStart', source: 'resume' }, '')
    expect(await shown()).toMatchObject([{ id: 'main', session_id: 'child' }])
  })
})

describe('a permission', () => {
  const request = {
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'rm -r build' },
  }
  const waiting = async (): Promise<readonly AgentRequest[]> =>
    (await (await kit.request('/api/requests')).json()) as AgentRequest[]
  const answer = (id: string, body: object) =>
    kit.request(`/api/agents/s1/${id}/answer`, { method: 'POST', body: JSON.stringify(body) })

  it.each([
    ['allow', { behavior: 'allow' }],
    ['deny', { behavior: 'deny', message: 'Denied by the user in Panoptes.' }],
  ] as const)('that is answered with %s from the page goes back to the agent', async (choice, decision) => {
    const reply = hook({ ...request, agent_id: `a-${choice}` })
    await expect.poll(waiting).toHaveLength(1)
    const [asked] = await waiting()
    expect(asked).toMatchObject({ agent_id: `a-${choice}`, tool: 'Bash', input_preview: 'rm -r build' })
    const request_id = asked?.request_id ?? ''
    expect((await answer('another', { request_id, choice })).status).toBe(404)
    expect(await (await answer(`a-${choice}`, { request_id, choice })).json()).toEqual({ ok: true })
    expect(await (await reply).json()).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
    })
    expect((await answer(`a-${choice}`, { request_id, choice })).status).toBe(404)
    expect((await events()).at(-1)).toMatchObject({ event: 'answer', agent_id: `a-${choice}`, choice })
    const [agent] = unwrap(
      await kit.ledger.agents({
        of: [{ source: 'claude-code', session: 's1', id: `a-${choice}` }],
        limit: 1,
      }),
    ).value
    expect(agent?.state).toBe('working')
  })

  it('is dropped when the agent goes away', async () => {
    const gone = new AbortController()
    const reply = hook(request, kit, { signal: gone.signal }).catch(() => 'gone')
    await expect.poll(waiting).toHaveLength(1)
    gone.abort()
    expect(await reply).toBe('gone')
    await expect.poll(waiting).toEqual([])
  })

  it("is dropped when it was answered in the agent's own window", async () => {
    const call = { tool_use_id: 't1', tool_name: 'Bash', tool_input: { command: 'rm -r build' } }
    await hook({ hook_event_name: 'PreToolUse', ...call, agent_id: 'own' })
    const reply = hook({ ...request, agent_id: 'own' })
    await expect.poll(waiting).toHaveLength(1)
    await hook({ hook_event_name: 'PostToolUse', ...call, agent_id: 'own', tool_response: {} })
    expect(await (await reply).text()).toBe('')
    expect(await waiting()).toEqual([])
    expect((await events()).some(({ event, agent_id }) => event === 'answer' && agent_id === 'own')).toBe(
      false,
    )
  })

  it('is left to the agent when nobody is to answer, when time is over, and when Panoptes stops', async () => {
    const off = await startTestServer()
    expect(await (await hook(request, off)).text()).toBe('')
    await off.stop()
    const short = await startTestServer({ config: { live: { answer_seconds: 1 } } })
    expect(await (await hook(request, short)).text()).toBe('')
    const last = hook({ ...request, agent_id: 'last' }, short)
    await expect.poll(async () => (await short.request('/api/requests')).json()).toHaveLength(1)
    const stopped = short.stop()
    expect(await (await last).text()).toBe('')
    await stopped
  })
})

describe('a question', () => {
  const tool_input = {
    questions: [
      {
        question: 'Which colour?',
        header: 'Colour',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: 'cold', preview: '#00f' },
        ],
        multiSelect: false,
      },
      {
        question: 'Which sizes?',
        header: 'Sizes',
        options: [{ label: 'S' }, { label: 'L' }],
        multiSelect: true,
      },
    ],
    metadata: { source: 'x' },
  }
  const payload = { hook_event_name: 'PermissionRequest', tool_name: 'AskUserQuestion', tool_input }
  const waiting = async (): Promise<readonly AgentRequest[]> =>
    (await (await kit.request('/api/requests')).json()) as AgentRequest[]
  const ask = async () => {
    const reply = hook(payload)
    await expect.poll(waiting).toHaveLength(1)
    const [asked] = await waiting()
    const answer = (body: object) =>
      kit.request('/api/agents/s1/main/answer', {
        method: 'POST',
        body: JSON.stringify({ request_id: asked?.request_id, ...body }),
      })
    return { reply, asked, answer }
  }

  it('is told with its options, and its answers go back inside the input of the call', async () => {
    const { reply, asked, answer } = await ask()
    expect(asked?.questions).toEqual([
      {
        question: 'Which colour?',
        header: 'Colour',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: 'cold' },
        ],
        multi_select: false,
      },
      {
        question: 'Which sizes?',
        header: 'Sizes',
        options: [
          { label: 'S', description: null },
          { label: 'L', description: null },
        ],
        multi_select: true,
      },
    ])
    const answers = { 'Which colour?': 'Blue', 'Which sizes?': ['S', 'as large as my key sk-ant-REDACTED'] }
    expect((await answer({ choice: 'allow', answers })).status).toBe(200)
    expect(await (await reply).json()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: {
          behavior: 'allow',
          updatedInput: {
            ...tool_input,
            answers: {
              'Which colour?': 'Blue',
              'Which sizes?': 'S, as large as my key sk-ant-REDACTED',
            },
          },
        },
      },
    })
    const told = (await events()).at(-1)
    expect(told).toMatchObject({ event: 'answer', choice: 'allow', tool: 'AskUserQuestion' })
    expect(told?.answer_preview).toContain('Blue · S, as large as my key')
    expect(told?.answer_preview).not.toContain('abcdefghijkl')
  })

  it('can be turned down', async () => {
    const { reply, answer } = await ask()
    expect((await answer({ choice: 'deny' })).status).toBe(200)
    expect(await (await reply).json()).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny' } },
    })
  })

  it('refuses an answer that does not fit, and waits on', async () => {
    const { reply, answer } = await ask()
    const whole = { 'Which colour?': 'Blue', 'Which sizes?': ['S'] }
    for (const [body, path, reason] of [
      [{ choice: 'allow' }, 'answers.Which colour?', 'needs an answer'],
      [{ choice: 'allow', answers: { 'Which colour?': 'Blue' } }, 'answers.Which sizes?', 'needs an answer'],
      [{ choice: 'allow', answers: { ...whole, 'Why?': 'x' } }, 'answers.Why?', 'is not what the agent asks'],
      [
        { choice: 'allow', answers: { ...whole, 'Which colour?': ['Red', 'Blue'] } },
        'answers.Which colour?',
        'takes one answer',
      ],
      [{ choice: 'deny', answers: whole }, 'answers', 'cannot stand together with deny'],
    ] as const) {
      const refused = await answer(body)
      expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
      expect(((await refused.json()) as { problems: readonly unknown[] }).problems[0]).toEqual({
        path,
        reason,
      })
    }
    expect((await answer({ choice: 'allow', answers: whole })).status).toBe(200)
    expect((await reply).status).toBe(200)
  })

  it('is left to the agent where its shape is not known', async () => {
    const reply = await hook({ ...payload, tool_input: { questions: 'later' } })
    expect(await reply.text()).toBe('')
  })
})
