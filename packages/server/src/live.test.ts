import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type Agent,
  type AgentDetail,
  agentDetail,
  conflictsReply,
  type ReplayReply,
  replayReply,
  sessionsReply,
  timeline,
  toolsReply,
} from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type StreamReader, startTestServer, type TestServer } from './server.test-kit.ts'

const RECORDING = resolve(
  import.meta.dirname,
  '../../../fixtures/claude-code/hooks/parallel-background.jsonl',
)
const payloads = readFileSync(RECORDING, 'utf8').trim().split('\n')
const { session_id: SESSION } = JSON.parse(payloads[0] ?? '{}') as { session_id: string }

let kit: TestServer
let stream: StreamReader
beforeAll(async () => {
  kit = await startTestServer()
  stream = await kit.stream('?agents=1&batch=1')
  for (const body of payloads) await kit.request('/hooks/claude-code', { method: 'POST', body })
})
afterAll(() => kit.stop())

const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
  const reply = await kit.request(path)
  expect([path, reply.status]).toEqual([path, 200])
  return schema.parse(await reply.json())
}
const agents = async (): Promise<readonly Agent[]> =>
  (await (await kit.request(`/api/agents?session=${SESSION}`)).json()) as Agent[]

/** The state that a client has after it applied all frames. */
function held(): ReadonlyMap<string, Agent> {
  const known = new Map<string, Agent>()
  for (const frame of stream.frames) {
    if (frame.type === 'agents') for (const agent of frame.data as Agent[]) known.set(agent.id, agent)
  }
  return known
}

describe('the stream with ?agents=1', () => {
  it('sends agent changes, so that a client ends up in the same state as the server', async () => {
    const now = await agents()
    await expect.poll(() => [...held().values()].sort(byId)).toEqual([...now].sort(byId))
    expect(now.length).toBe(4)
    const seqs = stream.frames.filter(({ type }) => type === 'agents').map(({ seq }) => seq ?? 0)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })

  it('sends all agents of a session that ends, and at most ten frames a second', async () => {
    const first = stream.frames.length
    const started = performance.now()
    const events = Array.from({ length: 300 }, (_, index) => [
      {
        event: 'tool_use',
        source: 'x',
        session_id: 'many',
        agent_id: `a${index % 30}`,
        id: `t${index}`,
        tool: 'T',
      },
    ]).flat()
    for (const event of events) await kit.post(event)
    await kit.post({ event: 'session_end', source: 'x', session_id: 'many' })
    const ended = () =>
      new Set(
        stream.frames
          .flatMap(({ type, data }) => (type === 'agents' ? (data as Agent[]) : []))
          .filter(({ session_id, state }) => session_id === 'many' && state === 'done')
          .map(({ id }) => id),
      ).size
    await expect.poll(ended).toBe(30)
    const frames = stream.frames.slice(first).filter(({ type }) => type === 'agents').length
    expect(frames).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 100) + 1)
  })

  it('sends the sub-agents of a session that ends, though the event names only the main agent', async () => {
    const of = { source: 'claude-code', session_id: 'ended' }
    const states = () =>
      Object.fromEntries(
        stream.frames
          .flatMap(({ type, data }) => (type === 'agents' ? (data as Agent[]) : []))
          .filter(({ session_id }) => session_id === 'ended')
          .map(({ id, state }) => [id, state]),
      )
    await kit.post(
      { event: 'session_start', ...of },
      { event: 'prompt', ...of },
      { event: 'agent_spawn', ...of, id: 'child' },
      { event: 'tool_use', ...of, agent_id: 'child', id: 't1', tool: 'Bash' },
    )
    await expect.poll(states).toEqual({ main: 'working', child: 'working' })
    await kit.post({ event: 'session_end', ...of })
    await expect.poll(states).toEqual({ main: 'done', child: 'done' })
  })

  it('reports ids that no longer exist, also to clients that have them from a snapshot', async () => {
    const of = { source: 'claude-code', session_id: 'linked' }
    await kit.post({ event: 'session_start', ...of }, { event: 'agent_spawn', ...of, id: 'toolu_9' })
    await stream.until((frames) => frames.some(({ type, data }) => type === 'agents' && isOf(data, 'linked')))
    const late = await kit.stream('?agents=1')
    await late.until((frames) => frames.some(({ alive }) => alive?.some(({ id }) => id === 'toolu_9')))
    await kit.post({ event: 'agent_link', ...of, id: 'a9', tool_use_id: 'toolu_9' })
    for (const reader of [stream, late]) {
      await reader.until((frames) => frames.some(({ gone }) => gone !== undefined))
      const frame = reader.frames.find(({ gone }) => gone !== undefined)
      expect(frame?.gone).toEqual([{ ...of, id: 'toolu_9' }])
      expect(((frame?.data ?? []) as Agent[]).find(({ id }) => id === 'a9')).toMatchObject({
        tool_use_id: 'toolu_9',
      })
    }
    late.ws.close()
    const detail = await kit.request('/api/agents/linked/toolu_9?source=claude-code')
    expect(await detail.json()).toMatchObject({ agent: { id: 'a9' } })
  })

  it('reports no agent as gone that no client knew', async () => {
    const of = { source: 'claude-code', session_id: 'unlinked' }
    await kit.post({ event: 'agent_spawn', ...of, id: 'a1' })
    await kit.post({ event: 'agent_link', ...of, id: 'a1', tool_use_id: 'toolu_1' })
    const linked = ({ data }: { data?: unknown }) =>
      (data as Agent[]).some(
        ({ session_id, tool_use_id }) => session_id === 'unlinked' && tool_use_id !== null,
      )
    await stream.until((frames) => frames.some((frame) => frame.type === 'agents' && linked(frame)))
    const frame = stream.frames.find((each) => each.type === 'agents' && linked(each))
    expect(frame).not.toHaveProperty('gone')
  })

  it('sends the agent that a reminder is about, though the event names another one', async () => {
    const of = { source: 'claude-code', session_id: 'reminded' }
    await kit.post(
      { event: 'prompt', ...of, agent_id: 'main' },
      { event: 'tool_use', ...of, agent_id: 'a1', id: 'q', tool: 'Bash' },
    )
    await stream.until((frames) =>
      frames.some(({ type, data }) => type === 'agents' && isOf(data, 'reminded')),
    )
    const reason = 'Claude needs your permission to use Bash'
    await kit.post({ event: 'agent_wait', ...of, agent_id: 'main', reason, wait: 'permission_prompt' })
    const waits = ({ type, data }: { type: string; data?: unknown }) =>
      type === 'agents' && (data as Agent[]).some(({ id, state }) => id === 'a1' && state === 'waiting')
    await stream.until((frames) => frames.some(waits))
    expect(stream.frames.find(waits)?.data).toMatchObject([{ ...of, id: 'a1', wait_reason: reason }])
  })

  it('reports the agents of a session as gone once it turns out that a hook started it', async () => {
    const of = { source: 'claude-code', session_id: 'by-hook' }
    await kit.post({ event: 'session_start', ...of })
    await stream.until((frames) =>
      frames.some(({ type, data }) => type === 'agents' && isOf(data, 'by-hook')),
    )
    await kit.post({ event: 'session_start', ...of, from_hook: true })
    const isGone = ({ gone }: { gone?: unknown }) =>
      (gone as { session_id: string }[] | undefined)?.some(({ session_id }) => session_id === 'by-hook') ===
      true
    await stream.until((frames) => frames.some(isGone))
    expect(stream.frames.find(isGone)?.gone).toEqual([{ ...of, id: 'main' }])
  })

  it('sends no agents to a client that did not subscribe to them', async () => {
    const plain = await kit.stream()
    await kit.post({ event: 'tool_use', source: 'x', session_id: 'more', agent_id: 'a', id: 't', tool: 'T' })
    await stream.until((frames) => frames.some(({ type, data }) => type === 'agents' && isOf(data, 'more')))
    await plain.until((frames) => frames.some(({ type }) => type === 'event'))
    expect(plain.frames.some(({ type }) => type === 'agents')).toBe(false)
    plain.ws.close()
  })
})

describe('GET /api/agents/:session/:id', () => {
  it('returns an agent with its ancestors, its tools and its latest events', async () => {
    const child = (await agents()).find(({ tool_counts }) => tool_counts.Bash === 2)
    const detail: AgentDetail = await get(`/api/agents/${SESSION}/${child?.id}`, agentDetail)
    expect(detail.agent).toEqual(child)
    expect(detail.path).toEqual(['main', child?.id])
    expect(detail.tools).toMatchObject([{ tool: 'Bash', calls: 2 }])
    expect(detail.latest.length).toBeGreaterThan(3)
    expect(detail.session?.session_id).toBe(SESSION)
    expect(detail.resume).toBe(`cd ${detail.session?.cwd} && claude --resume ${SESSION}`)
    const main = await get(`/api/agents/${SESSION}/main?source=claude-code`, agentDetail)
    expect(main.children).toHaveLength(3)
    expect((await kit.request(`/api/agents/${SESSION}/nobody`)).status).toBe(404)
    expect((await kit.request(`/api/agents/${SESSION}/main?source=hermes`)).status).toBe(404)
  })
})

describe('replay', () => {
  it('returns the state at a time or a seq', async () => {
    const whole: ReplayReply = await get('/api/replay', replayReply)
    expect(whole.agents.length).toBeGreaterThanOrEqual(4)
    expect(whole.sessions.map(({ session_id }) => session_id)).toContain(SESSION)
    const early = await get('/api/replay?seq=2', replayReply)
    expect(early.agents).toMatchObject([{ id: 'main', state: 'working' }])
    expect(early.seq).toBe(2)
    const before = await get('/api/replay?at=1000', replayReply)
    expect(before.agents).toEqual([])
    expect((await kit.request('/api/replay?at=1&seq=1')).status).toBe(400)
  })

  it('includes events from a clock that runs ahead', async () => {
    const ts = Date.now() + 864_000_000
    const line = { event: 'tool_use', session_id: 'ahead', agent_id: 'main', tool: 'Bash', ts }
    await kit.request('/events', { method: 'POST', body: JSON.stringify(line) })
    for (const when of ['', `?at=${Date.now() + 1_000}`]) {
      const { agents } = await get(`/api/replay${when}`, replayReply)
      expect(agents.filter(({ session_id }: { session_id: string }) => session_id === 'ahead')).toMatchObject(
        [{ state: 'working' }],
      )
    }
  })

  it('returns the timeline in slices, with notable moments', async () => {
    const from = Date.now() - 600_000
    const cut = await get(
      `/api/timeline?from=${from}&to=${Date.now() + 1}&slices=10&session=${SESSION}`,
      timeline,
    )
    expect(cut.slices).toHaveLength(10)
    expect(cut.marks.filter(({ kind }) => kind === 'spawn').length).toBeGreaterThanOrEqual(3)
    expect((await kit.request('/api/timeline?from=2&to=1')).status).toBe(400)
  })

  it('lists tools and sessions', async () => {
    const tools = await get('/api/tools', toolsReply)
    expect(
      tools.find(({ tool, source }) => tool === 'Bash' && source === 'claude-code')?.calls,
    ).toBeGreaterThan(2)
    const sessions = await get('/api/sessions?limit=1', sessionsReply)
    expect(sessions).toHaveLength(1)
  })
})

describe('conflicts', () => {
  it('are files that two agents edit at the same time', async () => {
    const edit = (session_id: string, id: string) => ({
      hook_event_name: 'PreToolUse',
      session_id,
      tool_name: 'Edit',
      tool_use_id: id,
      tool_input: { file_path: '/home/dev/shared.ts' },
    })
    for (const [session, id] of [
      ['e1', 't1'],
      ['e2', 't2'],
    ] as const) {
      await kit.request('/hooks/claude-code', { method: 'POST', body: JSON.stringify(edit(session, id)) })
    }
    await expect
      .poll(() => get('/api/conflicts', conflictsReply))
      .toMatchObject([{ file: '/home/dev/shared.ts', agents: [{ session_id: 'e1' }, { session_id: 'e2' }] }])
  })
})

const byId = (a: Agent, b: Agent): number => (a.id < b.id ? -1 : 1)
const isOf = (data: unknown, session: string): boolean =>
  (data as Agent[]).some(({ session_id }) => session_id === session)
