import { spawnSync } from 'node:child_process'
import { hermesState } from '@panoptes/engine/sources'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { makeState, type State, tempHome } from '../../sources/hermes/hermes.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import { type FollowedHermes, followHermes } from './follow-state.ts'
import { createHermesHooks } from './read.ts'

let bench: Bench
let home = ''
let state: State
beforeEach(async () => {
  bench = await openBench()
  home = tempHome()
  state = makeState(home, { journal: 'wal' })
  onTestFinished(() => state.db.close())
})
afterEach(() => bench.end())

const follow = (intake = bench.intake()): FollowedHermes => {
  const following = followHermes({ state: hermesState(home), intake, store: bench.store })
  onTestFinished(() => following.stop())
  return following
}

const seconds = (ago = 0) => Date.now() / 1_000 - ago
const say = (session: string, row: Record<string, string | null>, ago = 0) =>
  state.message({ session_id: session, timestamp: seconds(ago), ...row })
const call = (id: string, name = 'terminal', input: object = { command: 'ls' }) =>
  JSON.stringify([{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }])
const agents = async (session: string) =>
  Object.fromEntries(
    unwrap(await bench.store.agents({ session, limit: 50 })).value.map((agent) => [agent.id, agent]),
  )
const shows = (expected: object, id = 'main', session = 's1') =>
  expect
    .poll(async () => (await agents(session))[id], { timeout: 30_000, interval: 20 })
    .toMatchObject(expected)
const kinds = async () => (await bench.events()).map(({ event }) => event)

describe('a session in state.db', () => {
  it('is shown live without any hook', async () => {
    const following = follow()
    state.session({ id: 's1', started_at: seconds(), cwd: '/home/dev/notes', model: 'm1' })
    say('s1', { content: 'find it' })
    await shows({ state: 'working', prompt_preview: 'find it', model: 'm1' })
    say('s1', { role: 'assistant', tool_calls: call('c1') })
    await shows({ doing: { tool: 'terminal', preview: 'ls' } })
    say('s1', { role: 'tool', tool_call_id: 'c1', content: '{"output": "", "exit_code": 2, "error": "no"}' })
    await shows({ doing: null, errors: 1, tool_counts: { terminal: 1 } })
    say('s1', { role: 'assistant', content: 'shipped: partial' })
    await shows({ state: 'done', outcome: 'partial' })
    await expect.poll(() => following.health()).toMatchObject({ following: 1, problem: null })
    state.db.exec(`UPDATE sessions SET ended_at = ${seconds(-5)}, end_reason = 'user_exit'`)
    await expect.poll(kinds).toContain('session_end')
    await expect.poll(() => following.health()).toMatchObject({ following: 0 })
  })

  it('reports claims, marker and skills, each once even if hooks report them too', async () => {
    const intake = bench.intake()
    follow(intake)
    state.session({ id: 's1', started_at: seconds() })
    say('s1', { content: 'go' })
    say('s1', {
      role: 'assistant',
      content: 'so far 1 s [REAL: x]',
      tool_calls: call('c1', 'skill_view', { name: 'tidy' }),
    })
    say('s1', { role: 'tool', tool_call_id: 'c1', content: '{"success": true, "content": "tidy up"}' })
    say('s1', {
      role: 'assistant',
      content: 'about 2 s [ESTIMATE-HTC: y]\nshipped: partial\nfollow-up-required:\n- more',
    })
    await shows({ state: 'done', outcome: 'partial' })
    const used = { hook_event_name: 'on_skill_lifecycle', session_id: 's1', extra: { skill_name: 'tidy' } }
    const reader = createHermesHooks()
    unwrap(await intake.append(intake.capture.hook(reader, JSON.stringify(used), Date.now())))
    const events = await bench.events()
    const claims = events.flatMap(({ event, value, tier }) => (event === 'claim' ? [[value, tier]] : []))
    expect(claims).toEqual([
      ['so far 1 s', 'REAL'],
      ['about 2 s', 'ESTIMATE-HTC'],
    ])
    expect(events.filter(({ event }) => event === 'status')).toMatchObject([{ follow_ups: ['more'] }])
    expect(events.filter(({ event }) => event === 'skill_use')).toMatchObject([
      { id: 'c1', skill: 'tidy', success: true },
    ])
  })

  it('works on while its delegates work in the background', async () => {
    follow()
    state.session({ id: 's1', started_at: seconds() })
    say('s1', { content: 'go' })
    say('s1', { role: 'assistant', tool_calls: call('c1', 'delegate_task', {}) })
    const content = '{"status": "dispatched", "mode": "background", "count": 1, "delegation_id": "deleg_8b"}'
    say('s1', { role: 'tool', tool_call_id: 'c1', content })
    say('s1', { role: 'assistant', content: 'shipped: partial' })
    await shows({ state: 'working', outcome: 'partial' })
    const report = '[ASYNC DELEGATION BATCH COMPLETE \u2014 deleg_8b]\nA background fan-out has finished.'
    say('s1', { content: report })
    say('s1', { role: 'assistant', content: 'shipped: functional' })
    await shows({ state: 'done', outcome: 'functional', prompt_preview: 'go' })
  })

  it('has its sub-agents under it, nested ones included', async () => {
    follow()
    state.session({ id: 's1', started_at: seconds() })
    say('s1', { content: 'go' })
    say('s1', { role: 'assistant', tool_calls: call('c1', 'delegate_task', {}) })
    const from = (id: string) => JSON.stringify({ _delegate_from: id })
    state.session({
      id: 'd1',
      parent_session_id: 's1',
      source: 'subagent',
      started_at: seconds(),
      model_config: from('s1'),
    })
    say('d1', { content: 'look' })
    say('d1', { role: 'assistant', tool_calls: call('c2', 'read_file', { path: 'x' }) })
    state.session({
      id: 'd2',
      parent_session_id: 'd1',
      source: 'subagent',
      started_at: seconds(),
      model_config: from('d1'),
    })
    say('d2', { content: 'look closer' })
    await shows({ parent_id: 'd1', state: 'working', prompt_preview: 'look closer' }, 'd2')
    await shows({ parent_id: 'main', state: 'working', tool_counts: { read_file: 1 } }, 'd1')
    say('d1', { role: 'assistant', content: 'shipped: functional' })
    await shows({ state: 'done', outcome: 'functional' }, 'd1')
    expect(await agents('d1')).toEqual({})
  })

  it('is lost with its sub-agents when their Hermes process is gone, and only then', async () => {
    let ahead = 0
    const following = followHermes({
      state: hermesState(home),
      intake: bench.intake(),
      store: bench.store,
      now: () => Date.now() + ahead,
      lookAgainMs: 100,
    })
    onTestFinished(() => following.stop())
    const delegate = (session: string, child: string, pid: number) => {
      state.session({ id: session, started_at: seconds() })
      say(session, { content: 'go' })
      say(session, { role: 'assistant', tool_calls: call(`c-${session}`, 'delegate_task', {}) })
      const model_config = JSON.stringify({ _delegate_from: session })
      state.session({
        id: child,
        parent_session_id: session,
        source: 'subagent',
        started_at: seconds(),
        model_config,
      })
      say(child, { content: 'look' })
      state.db.exec(`INSERT INTO async_delegations
        (delegation_id, origin_session, parent_session_id, state, dispatched_at, updated_at, owner_pid)
        VALUES ('of-${session}', '${session}', '${session}', 'running', 1, 1, ${pid})`)
    }
    delegate('s1', 'd1', spawnSync('true').pid)
    delegate('s2', 'd2', process.pid)
    await shows({ state: 'working' }, 'd1')
    await shows({ state: 'working' }, 'd2', 's2')
    ahead = 30_000
    await shows({ state: 'done', outcome: 'lost' }, 'd1')
    await shows({ state: 'done', outcome: 'lost' })
    expect(await agents('s2')).toMatchObject({ main: { state: 'working' }, d2: { state: 'working' } })
    expect((await kinds()).filter((kind) => kind === 'agent_lost')).toHaveLength(2)
  })

  it('is reported once across a restart, including messages from the time in between', async () => {
    const first = follow()
    state.session({ id: 's1', started_at: seconds() })
    say('s1', { content: 'go' })
    await shows({ state: 'working' })
    await first.stop()
    say('s1', { role: 'assistant', tool_calls: call('c1') })
    follow()
    await shows({ tool_counts: { terminal: 1 } })
    expect(await kinds()).toEqual(['session_start', 'prompt', 'tool_use'])
  })

  it('is not reported live when it is old, nor are copies of earlier messages', async () => {
    const over = { ended_at: seconds(7_000), end_reason: 'compression' }
    state.session({ id: 'old', started_at: seconds(9_000), ...over })
    say('old', { content: 'long ago' }, 8_000)
    follow()
    state.session({ id: 's1', started_at: seconds(), parent_session_id: 'old' })
    say('s1', { content: 'copied' }, 600)
    say('s1', { content: 'hidden', display_kind: 'hidden' })
    say('s1', { content: 'new' })
    await shows({ prompt_preview: 'new' })
    expect(await kinds()).toEqual(['session_start', 'prompt'])
  })
})

it('stores events once that the hooks of Hermes report as well', async () => {
  const intake = bench.intake()
  const [, hooks] = intake.readers
  const hook = async (name: string, session: string, extra: object, more: object = {}) => {
    const text = JSON.stringify({ hook_event_name: name, session_id: session, extra, ...more })
    if (hooks) unwrap(await intake.append(intake.capture.hook(hooks, text, Date.now())))
  }
  const following = followHermes({ state: hermesState(home), intake, store: bench.store })
  onTestFinished(() => following.stop())
  state.session({ id: 's1', started_at: seconds() })
  await hook('on_session_start', 's1', {})
  say('s1', { content: 'go' })
  await shows({ state: 'working' })
  await hook('pre_llm_call', 's1', { turn_id: 't1', user_message: 'go' })
  await hook('pre_tool_call', 's1', { tool_call_id: 'c1' }, { tool_name: 'terminal' })
  state.session({ id: 'd1', parent_session_id: 's1', source: 'subagent', started_at: seconds() })
  say('d1', { content: 'look' })
  await shows({ state: 'working' }, 'd1')
  await hook('subagent_start', 's1', {
    child_subagent_id: 'sa-1',
    child_session_id: 'd1',
    child_goal: 'look',
  })
  say('d1', { role: 'assistant', tool_calls: call('c2', 'read_file') })
  say('s1', { role: 'assistant', tool_calls: call('c1') })
  say('s1', { role: 'assistant', content: 'ok' })
  await hook('on_session_end', 's1', { turn_id: 't1' })
  await shows({ state: 'done', tool_counts: { terminal: 1 } })
  await shows({ parent_id: 'main', tool_counts: { read_file: 1 } }, 'sa-1')
  expect(Object.keys(await agents('s1')).sort()).toEqual(['main', 'sa-1'])
  const counts = Object.groupBy(await kinds(), (kind) => kind)
  expect(
    [counts.session_start, counts.prompt, counts.tool_use, counts.agent_done].map((all) => all?.length),
  ).toEqual([1, 1, 2, 1])
})
