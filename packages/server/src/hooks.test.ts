import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

describe('POST /hooks/claude-code', () => {
  it('stores a hook payload and answers with an empty body', async () => {
    const reply = await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'fix it' })
    expect([reply.status, await reply.text()]).toEqual([200, ''])
    expect((await events()).at(-1)).toMatchObject({
      event: 'prompt',
      source: 'claude-code',
      session_id: 's1',
      prompt_preview: 'fix it',
    })
  })

  it('stores payloads that it does not understand', async () => {
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

  it('stores the claims of a last message once, and none if recording them is off', async () => {
    const stop = {
      hook_event_name: 'Stop',
      prompt_id: 'p1',
      last_assistant_message: 'It took 3 s [REAL: x].',
    }
    const claims = async (on: TestServer) =>
      (await events(on)).flatMap(({ event, value }) => (event === 'claim' ? [value] : []))
    for (const _time of [1, 2]) await hook(stop)
    expect(await claims(kit)).toEqual(['It took 3 s'])
    const bypassing = await startTestServer({ options: { bypass: { claims: true, skills: false } } })
    try {
      await hook(stop, bypassing)
      expect(await claims(bypassing)).toEqual([])
      expect((await events(bypassing)).at(-1)?.event).toBe('agent_done')
    } finally {
      await bypassing.stop()
    }
  })

  it('accepts bodies up to the limit of the spool', async () => {
    expect((await hook({ hook_event_name: 'Stop', text: 'x'.repeat(16_700_000) })).status).toBe(200)
    expect((await hook({ hook_event_name: 'Stop', text: 'x'.repeat(16_800_000) })).status).toBe(413)
  })

  it("finds the parent of a nested agent in the client's files", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'panoptes-sidecar-'))
    await mkdir(join(folder, 'nested', 'subagents'), { recursive: true })
    const meta = JSON.stringify({ agentType: 'Explore', toolUseId: 'T2' })
    await writeFile(join(folder, 'nested', 'subagents', 'agent-inner.meta.json'), meta)
    const told = { session_id: 'nested', transcript_path: join(folder, 'nested.jsonl') }
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_use_id: 'T2', agent_id: 'outer' }
    await hook({ ...told, ...call })
    await hook({ ...told, hook_event_name: 'SubagentStart', agent_id: 'inner', agent_type: 'Explore' })
    const parents = async () =>
      unwrap(await kit.store.agents({ session: 'nested', limit: 9 })).value.map((agent) => [
        agent.id,
        agent.parent_id,
      ])
    await expect.poll(parents).toContainEqual(['inner', 'outer'])
    await rm(folder, { recursive: true })
  })

  it('uses little processor time for a payload of 2 KB', async () => {
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
    // The client runs in the same process, so the measured time is more than the server's share.
    expect(Math.min(...rounds)).toBeLessThan(40)
  })
})

describe("a session that another session's hook started", () => {
  const child = { session_id: 'child' }
  const send = async (payload: object, within: string) =>
    hook({ ...child, ...payload }, kit, {
      headers: { authorization: `Bearer ${await kit.token('ingest')}`, 'x-panoptes-within': within },
    })
  const shown = async () =>
    unwrap(await kit.store.agents({ of: [{ source: 'claude-code', session: 'child' }], limit: 9 })).value

  it("is recognized by its client's variables, stored, and hidden everywhere", async () => {
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

  it('asks nobody on the page', async () => {
    const asked = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
    const reply = await send(asked, '1:/work')
    expect([reply.status, await reply.text()]).toEqual([200, ''])
  })

  it('is shown again when a person continues it', async () => {
    await send({ hook_event_name: 'SessionStart', source: 'resume' }, '')
    expect(await shown()).toMatchObject([{ id: 'main', session_id: 'child' }])
  })
})
