import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import type { HookReader } from '../hook.ts'
import type { Intake } from '../intake.ts'
import { createHermesHooks, recentChildren } from './read.ts'

let bench: Bench
let intake: Intake
let reader: HookReader
let clock = 0
beforeEach(async () => {
  bench = await openBench()
  intake = bench.intake()
  reader = createHermesHooks()
  clock = Date.UTC(2026, 8, 16)
})
afterEach(() => bench.end())

/** Sends one hook call as Hermes would, a minute after the previous one. */
async function hook(hook_event_name: string, extra: object = {}, more: object = {}): Promise<void> {
  clock += 60_000
  const payload = {
    hook_event_name,
    session_id: 'root',
    cwd: '/home/u/project',
    profile: 'default',
    extra,
    ...more,
  }
  unwrap(await intake.append(intake.capture.hook(reader, JSON.stringify(payload), clock)))
}

const agents = async () =>
  Object.fromEntries(
    unwrap(await bench.store.agents({ source: 'hermes', limit: 100 })).value.map((agent) => [
      `${agent.session_id}/${agent.id}`,
      agent,
    ]),
  )
const last = async () => (await bench.events()).at(-1)

const child = {
  child_session_id: 'child-session',
  child_subagent_id: 'sa-0-aaaa',
  child_role: 'researcher',
  child_goal: 'Find the fault.\nThen report.',
}

describe('sessions of Hermes', () => {
  it("show the person's message and no background reports", async () => {
    const prompted = async (turn_id: string, user_message: string) => {
      await hook('pre_llm_call', { turn_id, user_message, is_first_turn: false })
      return (await agents())['root/main']
    }
    expect(await prompted('t1', 'Name a bird.')).toMatchObject({ prompt_preview: 'Name a bird.' })
    const notice = '[IMPORTANT: Background process proc_1 completed normally (exit code 0).]'
    expect(await prompted('t2', notice)).toMatchObject({ state: 'working', prompt_preview: 'Name a bird.' })
  })

  it('begin, work in turns, and end only when they are finalised', async () => {
    await hook('on_session_start', { model: 'hermes-4', platform: 'cli' })
    expect(await last()).toMatchObject({ event: 'session_start', project: 'project', model: 'hermes-4' })
    for (const turn_id of ['turn-1', 'turn-2']) {
      await hook('pre_llm_call', { turn_id, user_message: `prompt of ${turn_id}`, is_first_turn: false })
      expect((await agents())['root/main']).toMatchObject({
        state: 'working',
        prompt_preview: `prompt of ${turn_id}`,
      })
      await hook('on_session_end', { turn_id, completed: true, failed: false, interrupted: false })
      expect((await agents())['root/main']?.state).toBe('done')
    }
    const [session] = unwrap(await bench.store.sessions({ limit: 1 })).value
    expect(session?.ended_at).toBeNull()
    await hook('on_session_finalize')
    expect(unwrap(await bench.store.sessions({ limit: 1 })).value[0]?.ended_at).toBe(clock)
  })

  it('fail together with their turn', async () => {
    await hook('on_session_end', { turn_id: 't', failed: true, turn_exit_reason: 'budget' })
    expect((await agents())['root/main']?.state).toBe('failed')
    expect(await last()).toMatchObject({ error: 'budget' })
  })
})

describe('tool calls of Hermes', () => {
  const call = { tool_name: 'terminal', tool_input: { command: 'ls' } }

  it('are counted and timed, and failed ones are distinguished', async () => {
    await hook('pre_tool_call', { tool_call_id: 'c1' }, call)
    expect((await agents())['root/main']?.doing).toMatchObject({ tool: 'terminal', preview: 'ls' })
    await hook('post_tool_call', { tool_call_id: 'c1', duration_ms: 41, status: 'ok', result: '{}' }, call)
    await hook('pre_tool_call', { tool_call_id: 'c2' }, call)
    await hook('post_tool_call', { tool_call_id: 'c2', status: 'error', error_type: 'Timeout' }, call)
    expect((await agents())['root/main']).toMatchObject({
      tool_counts: { terminal: 2 },
      errors: 1,
      doing: null,
    })
    expect(await last()).toMatchObject({ event: 'tool_done', ok: false, error_preview: 'Timeout' })
  })

  it.each([
    ['failed', '{"output": "", "exit_code": 5, "error": null}', 1],
    ['failed', { success: false }, 1],
    ['done', '{"output": "", "exit_code": 0, "error": null}', 0],
    ['neither', '{"output": "", "exit_code": -1, "error": "BLOCKED: User denied", "status": "blocked"}', 0],
    ['neither', '{"error": "Tool execution cancelled by user interrupt", "status": "cancelled"}', 0],
  ])('are %s by their result although their status is ok: %j', async (_how, result, errors) => {
    await hook('pre_tool_call', { tool_call_id: 'c1' }, call)
    await hook('post_tool_call', { tool_call_id: 'c1', status: 'ok', duration_ms: 9, result }, call)
    expect((await agents())['root/main']).toMatchObject({ errors, doing: null })
    const done = await last()
    if (_how === 'neither') expect([done?.ok, done?.duration_ms]).toEqual([undefined, undefined])
    else expect(done).toMatchObject({ ok: errors === 0, duration_ms: 9 })
  })

  it('are identical through shell hook and webhook', async () => {
    const times = { delivery_id: 'd1', timestamp: '2026-09-16T00:02:59.500Z' }
    await hook('pre_tool_call', { tool_call_id: 'c1' }, call)
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { ...call, ...times })
    expect((await agents())['root/main']?.tool_counts).toEqual({ terminal: 1 })
    await hook('pre_tool_call', { tool_call_id: 'c2' }, { ...call, ...times })
    expect(await last()).toMatchObject({ ts: Date.parse(times.timestamp) })
  })

  it('name the file they edit', async () => {
    const edit = { tool_name: 'write_file', tool_input: { path: '/home/u/project/a.ts', content: 'x' } }
    await hook('pre_tool_call', { tool_call_id: 'c1' }, edit)
    expect(await last()).toMatchObject({ file: '/home/u/project/a.ts' })
  })

  it('make the agent wait when they ask a question', async () => {
    await hook(
      'pre_tool_call',
      { tool_call_id: 'c1' },
      { tool_name: 'clarify', tool_input: { question: 'which?' } },
    )
    expect((await agents())['root/main']).toMatchObject({ state: 'waiting', wait_reason: 'asks a question' })
  })
})

describe('sub-agents of Hermes', () => {
  it("are agents of the parent's session, and their own session's events belong to them", async () => {
    await hook('pre_llm_call', { turn_id: 't1', user_message: 'go' })
    await hook('subagent_start', child)
    const own = { session_id: child.child_session_id }
    await hook('on_session_start', { model: 'small' }, own)
    await hook('pre_llm_call', { turn_id: 'ct1', user_message: 'Find the fault.', model: 'small' }, own)
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { ...own, tool_name: 'terminal' })
    expect(await agents()).toMatchObject({
      'root/main': { parent_id: null, tool_counts: {} },
      'root/sa-0-aaaa': {
        parent_id: 'main',
        subagent_type: 'researcher',
        model: 'small',
        prompt_preview: 'Find the fault.',
        tool_counts: { terminal: 1 },
        state: 'working',
      },
    })
    await hook('subagent_stop', {
      ...child,
      child_status: 'completed',
      child_summary:
        'It took 3 s [REAL: c1].\nshipped: functional\nstubs: 0\nfollow-up-required:\n- look again',
      duration_ms: 5_000,
      tool_call_history: [{ tool_name: 'terminal' }],
    })
    const all = await agents()
    expect(Object.keys(all).sort()).toEqual(['root/main', 'root/sa-0-aaaa'])
    expect(all['root/sa-0-aaaa']).toMatchObject({ state: 'done', outcome: 'functional' })
    expect((await bench.events()).slice(-3)).toMatchObject([
      { event: 'agent_done', tool_use_count: 1, duration_ms: 5_000 },
      { event: 'status', agent_id: 'sa-0-aaaa', shipped: 'functional', follow_ups: ['look again'] },
      { event: 'claim', agent_id: 'sa-0-aaaa', value: 'It took 3 s', tier: 'REAL', pointer: 'c1', place: 0 },
    ])
  })

  it('keep the main agent at work after its turn, until the last of them ends', async () => {
    const main = async () => (await agents())['root/main']?.state
    const second = { child_session_id: 'second', child_subagent_id: 'sa-1-bbbb' }
    await hook('pre_llm_call', { turn_id: 't1', user_message: 'go' })
    await hook('subagent_start', child)
    await hook('subagent_start', second)
    await hook('on_session_end', { turn_id: 't1', completed: true })
    await hook('on_session_end', { turn_id: 'c1', completed: true }, { session_id: child.child_session_id })
    expect(await main()).toBe('working')
    await hook('subagent_stop', { ...second, child_status: 'completed' })
    expect(await main()).toBe('done')
    // Webhooks are delivered again.
    await hook('pre_llm_call', { turn_id: 't2', user_message: 'on' })
    await hook('on_session_end', { turn_id: 't1', completed: true })
    expect(await main()).toBe('working')
  })

  it.each([
    ['the turn is interrupted', 'on_session_end', { turn_id: 't1', interrupted: true }],
    ['the turn fails', 'on_session_end', { turn_id: 't1', failed: true }],
    ['the session is over', 'on_session_finalize', { reason: 'shutdown' }],
  ])('do not keep the main agent at work if %s', async (_when, name, extra) => {
    await hook('pre_llm_call', { turn_id: 't1', user_message: 'go' })
    await hook('subagent_start', child)
    await hook(name, extra)
    expect(['done', 'failed']).toContain((await agents())['root/main']?.state)
  })

  it('may have sub-agents themselves', async () => {
    await hook('subagent_start', child)
    const nested = {
      child_session_id: 'grandchild',
      child_subagent_id: 'sa-1-bbbb',
      parent_subagent_id: 'sa-0-aaaa',
    }
    await hook('subagent_start', nested, { session_id: child.child_session_id })
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { session_id: 'grandchild', tool_name: 'web' })
    expect(await agents()).toMatchObject({
      'root/sa-1-bbbb': { parent_id: 'sa-0-aaaa', tool_counts: { web: 1 } },
    })
  })

  it('are failed when they fail', async () => {
    await hook('subagent_start', child)
    await hook('subagent_stop', { ...child, child_status: 'failed' })
    expect((await agents())['root/sa-0-aaaa']?.state).toBe('failed')
  })

  it('are remembered after a restart', async () => {
    await hook('subagent_start', child)
    reader = createHermesHooks(await recentChildren(bench.store))
    await hook(
      'pre_tool_call',
      { tool_call_id: 'c1' },
      { session_id: child.child_session_id, tool_name: 'terminal' },
    )
    expect(Object.keys(await agents())).toEqual(['root/sa-0-aaaa'])
  })

  it('are named after their session when they have no other name', async () => {
    await hook('subagent_start', { child_session_id: 'only-session' })
    expect(Object.keys(await agents())).toEqual(['root/only-session'])
  })
})

describe('the end of a Hermes sub-agent', () => {
  const own = { session_id: child.child_session_id }
  const named = { child_session_id: child.child_session_id }

  it('is counted once although its turn and its parent both report it', async () => {
    await hook('subagent_start', child)
    await hook('on_session_end', { turn_id: 't1', completed: true }, own)
    expect((await agents())['root/sa-0-aaaa']?.state).toBe('done')
    await hook('subagent_stop', { ...named, child_status: 'completed', duration_ms: 10 })
    expect(await last()).toMatchObject({ event: 'agent_done', id: 'sa-0-aaaa', duration_ms: 10 })
    expect(unwrap(await bench.store.counters()).value).toMatchObject({ agents_spawned: 1, agents_done: 1 })
  })

  it('has its own outcome when it was interrupted', async () => {
    await hook('subagent_start', child)
    await hook('subagent_stop', { ...named, child_status: 'interrupted' })
    expect((await agents())['root/sa-0-aaaa']).toMatchObject({ state: 'done', outcome: 'stopped' })
  })

  it('is a failure even if its own turn ended before', async () => {
    await hook('subagent_start', child)
    await hook('on_session_end', { turn_id: 't1', completed: false }, own)
    await hook('subagent_stop', { ...named, child_status: 'timeout' })
    expect((await agents())['root/sa-0-aaaa']).toMatchObject({ state: 'failed' })
  })
})

describe("a Hermes sub-agent that arrives before its parent's report", () => {
  const own = { session_id: child.child_session_id }
  const ofChild = { platform: 'subagent', task_id: 'sa-0-aaaa' }

  it('belongs to its parent as soon as the parent reports it', async () => {
    await hook('on_session_start', { ...ofChild, model: 'small' }, own)
    await hook('pre_tool_call', { ...ofChild, tool_call_id: 'c1' }, { ...own, tool_name: 'terminal' })
    expect(await agents()).toEqual({})
    await hook('subagent_start', child)
    expect(await agents()).toMatchObject({
      'root/sa-0-aaaa': { tool_counts: { terminal: 1 }, model: 'small' },
    })
    expect(Object.keys(await agents())).toEqual(['root/sa-0-aaaa'])
  })

  it('is shown as its own session when no parent reports it within seconds', async () => {
    let time = 0
    let end = (): void => undefined
    reader = createHermesHooks([], {
      now: () => time,
      pause: () => new Promise((resolve) => (end = resolve)),
    })
    await hook('pre_tool_call', { ...ofChild, tool_call_id: 'c1' }, { ...own, tool_name: 'terminal' })
    const late = reader.afterwards?.()
    time += 60_000
    end()
    unwrap(await intake.append(intake.capture.found((await late) ?? [])))
    expect(await agents()).toMatchObject({ 'child-session/main': { tool_counts: { terminal: 1 } } })
    await hook('pre_tool_call', { ...ofChild, tool_call_id: 'c2' }, { ...own, tool_name: 'terminal' })
    expect(await agents()).toMatchObject({ 'child-session/main': { tool_counts: { terminal: 2 } } })
  })
})

describe('a Hermes sub-agent that first looked like a session', () => {
  it('leaves no working session behind', async () => {
    const own = { session_id: child.child_session_id }
    await hook('pre_llm_call', { turn_id: 't1', user_message: 'go' })
    await hook('on_session_start', { model: 'small' }, own)
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { ...own, tool_name: 'terminal' })
    await hook('subagent_start', child)
    await hook('post_tool_call', { tool_call_id: 'c1', status: 'ok' }, { ...own, tool_name: 'terminal' })
    expect(await agents()).toMatchObject({
      'child-session/main': { state: 'done' },
      'root/sa-0-aaaa': { state: 'working' },
    })
    await hook('subagent_start', { ...child, child_subagent_id: 'again' })
    expect((await bench.events()).filter(({ event }) => event === 'session_end')).toHaveLength(1)
  })

  it('never is a session when events arrive in order', async () => {
    await hook('subagent_start', child)
    await hook('on_session_start', { model: 'small' }, { session_id: child.child_session_id })
    expect(
      unwrap(await bench.store.sessions({ limit: 9 })).value.map(({ session_id }) => session_id),
    ).toEqual(['root'])
  })
})

describe('the time in Hermes payloads', () => {
  it.each([
    ['2099-01-01T00:00:00Z', 0],
    ['-000001-01-01T00:00:00Z', 0],
    ['2020-01-01T00:00:00Z', -300_000],
    ['never', 0],
  ])('is used when it is near the arrival: %s', async (timestamp, apart) => {
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { tool_name: 'terminal', timestamp })
    expect((await last())?.ts).toBe(clock + apart)
  })

  it('gives a payload without a delivery id the same key whenever it arrives', async () => {
    const again = { timestamp: '2026-09-16T00:00:30Z' }
    await hook('pre_approval_request', {}, again)
    await hook('pre_approval_request', {}, again)
    expect(await bench.events()).toHaveLength(1)
  })
})

describe('other hooks of Hermes', () => {
  it('shows approvals as waits until they are answered', async () => {
    await hook('pre_approval_request', { command: 'rm -r x' }, { tool_name: 'terminal' })
    expect((await agents())['root/main']).toMatchObject({ state: 'waiting', wait_reason: 'allow terminal?' })
    await hook('post_approval_response', { choice: 'once' })
    expect((await agents())['root/main']?.state).toBe('working')
  })

  it('assigns approvals without a session by their turn or their key', async () => {
    const call = { tool_name: 'terminal' }
    await hook('pre_tool_call', { tool_call_id: 'c1' }, call)
    await hook('pre_tool_call', { tool_call_id: 'c2' }, call)
    const turn = { turn_id: 'root:root:0a1b', session_key: 'agent:main:telegram:7' }
    await hook(
      'pre_approval_request',
      { ...turn, tool_call_id: 'c1', description: 'delete' },
      { session_id: '' },
    )
    await hook('pre_approval_request', { session_key: 'root', tool_call_id: 'c2' }, { session_id: '' })
    expect((await agents())['root/main']).toMatchObject({
      state: 'waiting',
      wait_reason: 'asks for approval',
    })
    await hook(
      'post_approval_response',
      { session_key: 'root', tool_call_id: 'c2', choice: 'timeout' },
      { session_id: '' },
    )
    expect(await last()).toMatchObject({ event: 'answer', choice: 'deny', answer: 'timeout' })
    expect((await agents())['root/main']).toMatchObject({ state: 'waiting', wait_reason: 'allow delete?' })
    await hook('post_approval_response', { ...turn, tool_call_id: 'c1', choice: 'once' }, { session_id: '' })
    expect((await agents())['root/main']?.state).toBe('working')
    expect(Object.keys(await agents())).toEqual(['root/main'])
  })

  it('shows no wait for approvals that another model decides', async () => {
    await hook('pre_tool_call', { tool_call_id: 'c1' }, { tool_name: 'terminal' })
    await hook('pre_approval_request', { surface: 'smart', tool_call_id: 'c1' })
    expect((await agents())['root/main']?.state).toBe('working')
  })

  it('reports the tokens of requests and leaves missing counts out', async () => {
    const usage = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 7 }
    await hook('post_api_request', { api_request_id: 'r1', model: 'm', usage, finish_reason: 'stop' })
    await hook('post_api_request', { api_request_id: 'r1', model: 'm', usage })
    expect((await agents())['root/main']?.usage).toMatchObject({
      input: 100,
      output: 20,
      cache_read: 7,
      cost_unknown: 1,
    })
    expect(await last()).not.toHaveProperty('reasoning')
  })

  it('counts uses of skills and stores other skill events', async () => {
    await hook('on_skill_lifecycle', { skill_name: 'deploy', use_count: 3 })
    expect(await last()).toMatchObject({ event: 'skill_use', skill: 'deploy' })
    await hook('on_skill_lifecycle', { skill_name: 'deploy', action: 'use', status: 'failed' })
    expect(await last()).toMatchObject({ event: 'skill_use', skill: 'deploy', success: false })
    await hook('on_skill_lifecycle', { skill_name: 'deploy', action: 'created' })
    expect(await last()).toMatchObject({ event: 'hook', hook: 'on_skill_lifecycle' })
  })

  it('stores unknown hooks and drops partial answers', async () => {
    await hook('kanban_task_moved', { task: 'x' })
    expect(await last()).toMatchObject({
      event: 'hook',
      hook: 'kanban_task_moved',
      payload: { extra: { task: 'x' } },
    })
    const before = (await bench.events()).length
    await hook('on_stream_delta', { text: 'pie' })
    expect(await bench.events()).toHaveLength(before)
  })

  it('treats fields of an unexpected shape as absent', async () => {
    await hook('pre_tool_call', { tool_call_id: 7 }, { tool_name: { x: 1 }, tool_input: 'text', cwd: [] })
    expect(await last()).toMatchObject({ event: 'tool_use', tool: 'unknown' })
    await hook('subagent_start', { child_session_id: null })
    await hook('post_api_request', { usage: 'none' })
    expect(reader.read({ hook_event_name: '' }, 0)).toHaveProperty('problem')
    expect(reader.read([], 0)).toHaveProperty('problem')
  })
})
