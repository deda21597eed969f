import type { AgentRequest } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendHook, storedIn } from './hooks.test-kit.ts'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({ config: { live: { answer_seconds: 30 } } })
})
afterAll(() => kit.stop())

const events = (on = kit) => storedIn(on)
const hook = (payload: object, on = kit, init: RequestInit = {}) => sendHook(on, payload, init)
const waiting = async (): Promise<readonly AgentRequest[]> =>
  (await (await kit.request('/api/requests')).json()) as AgentRequest[]

describe('a permission request', () => {
  const request = {
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'rm -r build' },
  }
  const answer = (id: string, body: object) =>
    kit.request(`/api/agents/s1/${id}/answer`, { method: 'POST', body: JSON.stringify(body) })

  it.each([
    ['allow', { behavior: 'allow' }],
    ['deny', { behavior: 'deny', message: 'Denied by the user in Panoptes.' }],
  ] as const)('that is answered with %s on the page goes back to the agent', async (choice, decision) => {
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
      await kit.store.agents({
        of: [{ source: 'claude-code', session: 's1', id: `a-${choice}` }],
        limit: 1,
      }),
    ).value
    expect(agent?.state).toBe('working')
  })

  it('is dropped when the agent disconnects', async () => {
    const gone = new AbortController()
    const reply = hook(request, kit, { signal: gone.signal }).catch(() => 'gone')
    await expect.poll(waiting).toHaveLength(1)
    gone.abort()
    expect(await reply).toBe('gone')
    await expect.poll(waiting).toEqual([])
  })

  it("is dropped when somebody answers it in the agent's own window", async () => {
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

  it('is left to the agent when the page must not answer, after the time limit, and when Panoptes stops', async () => {
    const off = await startTestServer()
    expect(await (await hook(request, off)).text()).toBe('')
    await off.stop()
    const short = await startTestServer({ config: { live: { answer_seconds: 1 } } })
    expect(await (await hook(request, short)).text()).toBe('')
    await short.stop()
    const long = await startTestServer({ config: { live: { answer_seconds: 90 } } })
    const last = hook({ ...request, agent_id: 'last' }, long)
    await expect.poll(async () => (await long.request('/api/requests')).json()).toHaveLength(1)
    const stopped = long.stop()
    expect(await (await last).text()).toBe('')
    await stopped
  })
})

describe("an agent's question", () => {
  const tool_input = {
    questions: [
      {
        question: 'Which color?',
        header: 'Color',
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

  it('shows its options, and the answers go back in the input of the tool call', async () => {
    const { reply, asked, answer } = await ask()
    expect(asked?.questions).toEqual([
      {
        question: 'Which color?',
        header: 'Color',
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
    const answers = { 'Which color?': 'Blue', 'Which sizes?': ['S', 'as large as my key sk-ant-REDACTED'] }
    expect((await answer({ choice: 'allow', answers })).status).toBe(200)
    expect(await (await reply).json()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: {
          behavior: 'allow',
          updatedInput: {
            ...tool_input,
            answers: {
              'Which color?': 'Blue',
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

  it('can be declined', async () => {
    const { reply, answer } = await ask()
    expect((await answer({ choice: 'deny' })).status).toBe(200)
    expect(await (await reply).json()).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny' } },
    })
  })

  it('keeps waiting after an answer that does not fit', async () => {
    const { reply, answer } = await ask()
    const whole = { 'Which color?': 'Blue', 'Which sizes?': ['S'] }
    for (const [body, path, reason] of [
      [{ choice: 'allow' }, 'answers.Which color?', 'needs an answer'],
      [{ choice: 'allow', answers: { 'Which color?': 'Blue' } }, 'answers.Which sizes?', 'needs an answer'],
      [
        { choice: 'allow', answers: { ...whole, 'Why?': 'x' } },
        'answers.Why?',
        'is not one of the questions of the agent',
      ],
      [
        { choice: 'allow', answers: { ...whole, 'Which color?': ['Red', 'Blue'] } },
        'answers.Which color?',
        'takes one answer',
      ],
      [{ choice: 'deny', answers: whole }, 'answers', 'cannot be combined with deny'],
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

  it('is left to the agent if its shape is unknown', async () => {
    const reply = await hook({ ...payload, tool_input: { questions: 'later' } })
    expect(await reply.text()).toBe('')
  })
})
