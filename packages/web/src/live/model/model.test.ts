import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { words } from '../../words.ts'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { parseAgentKey, toAgentKey } from '../data/agent-key.ts'
import {
  agentCost,
  countCalls,
  countInputTokens,
  countOutputTokens,
  describeActivity,
  findWaitingAgents,
} from './agent-activity.ts'
import { buildGraph, type GraphOptions } from './build-graph.ts'
import {
  countProjects,
  countStates,
  matchesFilter,
  type StateFilter,
  sessionHosts,
  sessionProjects,
} from './filter.ts'
import { selectSession } from './graph.ts'
import { agentName, modelFamily, sessionTitle } from './names.ts'
import { isShown, nextHideTime } from './visibility.ts'

const options = (change: Partial<GraphOptions> = {}): GraphOptions => ({
  now: NOW,
  filter: {},
  selected: null,
  open: new Set(),
  say: (alive) => `${alive} agents`,
  ...change,
})

const graphOf = (agents: Parameters<typeof scene>[0], change: Partial<GraphOptions> = {}) =>
  buildGraph(scene(agents, { sessions: [session()] }), options(change))

const names = (graph: ReturnType<typeof graphOf>) =>
  graph.sessions.flatMap((one) => one.nodes.map((node) => node.name))

describe('the graph of a scene', () => {
  it('is a tree with main as its root and parents before children', () => {
    const graph = graphOf([
      agent({ id: 'b', parent_id: 'a', subagent_type: 'reader' }),
      main(),
      agent({ id: 'a', subagent_type: 'writer' }),
    ])
    const nodes = graph.sessions[0]?.nodes ?? []
    expect(nodes.map(({ name, parent, depth }) => [name, parent, depth])).toEqual([
      ['main', -1, 0],
      ['writer', 0, 1],
      ['reader', 1, 2],
    ])
    expect(graph.sessions[0]?.title).toBe('atlas-api')
  })

  it('puts an agent with an unknown parent under main', () => {
    const nodes = graphOf([main(), agent({ id: 'x', parent_id: 'gone' })]).sessions[0]?.nodes ?? []
    expect(nodes[1]?.parent).toBe(0)
  })

  it('handles agents that name each other as parents', () => {
    const nodes = graphOf([main(), agent({ id: 'x', parent_id: 'y' }), agent({ id: 'y', parent_id: 'x' })])
    expect(names(nodes)).toContain('x')
    expect(names(nodes)).toContain('y')
  })

  it('groups four or more similar children but not a waiting one', () => {
    const explorers = ['a', 'b', 'c', 'd', 'e'].map((id) => agent({ id, subagent_type: 'explore' }))
    const waits = agent({ id: 'w', subagent_type: 'explore', state: 'waiting' })
    const nodes = graphOf([main(), ...explorers, waits]).sessions[0]?.nodes ?? []
    expect(nodes.map((node) => [node.kind, node.members.length])).toEqual([
      ['main', 0],
      ['group', 5],
      ['agent', 0],
    ])
    const opened = graphOf([main(), ...explorers], { open: new Set([nodes[1]?.key ?? '']) })
    expect(opened.nodes).toBe(6)
    const selected = graphOf([main(), ...explorers], { selected: toAgentKey(agent({ id: 'c' })) })
    expect(selected.sessions[0]?.nodes.map((node) => node.members.length)).toEqual([0, 4, 0])
  })

  it('does not group a child with children, and leaves opened groups open', () => {
    const four = ['a', 'b', 'c', 'd'].map((id) => agent({ id, subagent_type: 'scan' }))
    const parent = agent({ id: 'p', subagent_type: 'scan' })
    const under = agent({ id: 'u', parent_id: 'p', subagent_type: 'read' })
    const folded = graphOf([main(), ...four, parent, under]).sessions[0]?.nodes ?? []
    expect(folded.map(({ kind }) => kind).filter((kind) => kind === 'group')).toHaveLength(1)
    expect(folded.filter(({ name }) => name === 'scan' || name === 'read')).toHaveLength(3)
    const group = folded.find(({ kind }) => kind === 'group')?.key ?? ''
    const open = graphOf([main(), ...four], { open: new Set([group]) })
    expect(names(open)).toEqual(['main', 'scan', 'scan', 'scan', 'scan'])
  })

  it('does not group three children', () => {
    const three = ['a', 'b', 'c'].map((id) => agent({ id, subagent_type: 'explore' }))
    expect(graphOf([main(), ...three]).nodes).toBe(4)
  })

  it('dims the ancestors of agents that match the filter', () => {
    const graph = graphOf(
      [main(), agent({ id: 'a' }), agent({ id: 'w', parent_id: 'a', state: 'waiting' }), agent({ id: 'z' })],
      { filter: { state: 'waiting' } },
    )
    expect(graph.sessions[0]?.nodes.map(({ name, dim }) => [name, dim])).toEqual([
      ['main', true],
      ['a', true],
      ['w', false],
    ])
  })

  it('counts each project of its sessions once, and none for a session without one', () => {
    const of = (session_id: string, project: string | null) => session({ session_id, project })
    const sessions = [of('s1', 'atlas-api'), of('s2', 'atlas-api'), of('s3', null), of('s4', 'notes')]
    const counted = (...ids: readonly string[]) => {
      const agents = ids.map((session_id) => main({ session_id }))
      const graph = buildGraph(scene(agents, { sessions }), options())
      return countProjects(graph.sessions, sessionProjects(sessions))
    }
    expect(counted('s1', 's2', 's3', 's4')).toBe(2)
    expect(counted('s1', 's2', 's3')).toBe(1)
    expect(counted('s3')).toBe(0)
  })

  it('names the computer of a session if there are several, and filters by it', () => {
    const of = (session_id: string, host?: string) => session({ session_id, ...(host && { host }) })
    expect(sessionHosts([of('s1', 'desk'), of('s2', 'desk'), of('s3')])).toEqual(new Map())
    const sessions = [of('s1', 'desk'), of('s2', 'laptop'), of('s3')]
    expect([...sessionHosts(sessions)]).toEqual([
      ['claude-code~s1', 'desk'],
      ['claude-code~s2', 'laptop'],
    ])
    const agents = ['s1', 's2', 's3'].map((session_id) => main({ session_id }))
    const shown = (host: string) =>
      buildGraph(scene(agents, { sessions }), options({ filter: { host } })).sessions.map(({ key }) => key)
    expect(shown('laptop')).toEqual(['claude-code~s2'])
    expect(shown('other')).toEqual([])
    const all = buildGraph(scene(agents, { sessions }), options()).sessions.map(({ about }) => about)
    expect(all).toEqual(['desk · Split billing', 'laptop · Split billing', 'Split billing'])
  })

  it('leaves out sessions that do not match the filter', () => {
    expect(graphOf([main()], { filter: { project: 'other' } }).sessions).toEqual([])
    expect(graphOf([main()], { filter: { project: 'atlas-api' } }).sessions).toHaveLength(1)
    expect(graphOf([main()], { filter: { model: 'opus' } }).sessions).toEqual([])
  })

  it('shows one session alone, and a past session as it ended', () => {
    const key = 'claude-code~s1'
    const other = main({ session_id: 's2' })
    expect(graphOf([main(), other]).sessions).toHaveLength(2)
    expect(graphOf([main(), other], { filter: { session: key } }).sessions.map((one) => one.key)).toEqual([
      key,
    ])
    const over = [
      main({ state: 'done', ended_at: NOW - 300_000 }),
      agent({ state: 'failed', ended_at: NOW - 400_000 }),
    ]
    const past = (filter: GraphOptions['filter']) =>
      buildGraph(scene([...over, other], { at: NOW }), options({ filter })).sessions.map(
        (one) => one.nodes.length,
      )
    expect(past({ session: key })).toEqual([2])
    expect(past({})).toEqual([1])
  })

  it('names three tools and combines the rest', () => {
    const graph = graphOf([
      main({
        tool_counts: { Bash: 4, Read: 9, Edit: 2, Grep: 1 },
        errors: 3,
        tool_errors: { Bash: 2, Grep: 1 },
      }),
      agent({ tool_counts: { Bash: 3, Glob: 2 }, errors: 1, tool_errors: { Bash: 1 } }),
    ])
    expect(graph.sessions[0]?.tools.map(({ tool, calls, errors }) => [tool, calls, errors])).toEqual([
      ['Read', 9, 0],
      ['Bash', 7, 3],
      ['Edit', 2, 0],
    ])
    expect(graph.sessions[0]?.moreTools).toEqual({ tools: 2, calls: 3, errors: 1 })
  })

  it('shows the failures of a tool as unknown when no source reports them', () => {
    const graph = graphOf([
      main({ tool_counts: { Bash: 4 }, errors: 2 }),
      agent({ tool_counts: { Bash: 1 } }),
    ])
    expect(graph.sessions[0]?.tools).toEqual([{ tool: 'Bash', calls: 5, errors: null, p95_ms: null }])
  })

  it("uses the duration statistics of the tool's own source", () => {
    const stats = { tool: 'Read', calls: 1, errors: 0, samples: 1, p50_ms: 1 }
    const tools = [
      { ...stats, source: 'hermes', p95_ms: 9_000 },
      { ...stats, source: 'claude-code', p95_ms: 70 },
    ]
    const graph = buildGraph(scene([main({ tool_counts: { Read: 1 } })], { tools }), options())
    expect(graph.sessions[0]?.tools.map(({ p95_ms }) => p95_ms)).toEqual([70])
  })

  it('marks agents that edit the same file', () => {
    const conflicts = [
      { file: 'a.ts', since: NOW, agents: [{ source: 'claude-code', session_id: 's1', agent_id: 'a1' }] },
    ]
    const graph = buildGraph(scene([main(), agent()], { conflicts }), options())
    expect(graph.sessions[0]?.nodes.map((node) => node.conflict)).toEqual([false, true])
  })
})

describe('one session at a time', () => {
  const graph = graphOf([
    main(),
    main({ session_id: 's2', started_at: NOW - 50_000 }),
    agent({ session_id: 's2', state: 'waiting' }),
    main({ session_id: 's3', started_at: NOW - 40_000 }),
  ])
  const shown = (chosen: string | null) => {
    const {
      graph: one,
      index,
      of,
    } = selectSession(graph, chosen, (count, others) => `${count}, ${others} more`)
    return [one.sessions.map(({ key, count }) => `${key} ${count}`), one.alive, index, of]
  }

  it('is the chosen session and counts the others', () => {
    expect(shown('claude-code~s3')).toEqual([['claude-code~s3 1 agents, 2 more'], 1, 2, 3])
  })

  it('is the session that needs someone when none is chosen or the chosen one is gone', () => {
    expect(shown(null)).toEqual([['claude-code~s2 2 agents, 2 more'], 2, 1, 3])
    expect(shown('gone')).toEqual(shown(null))
  })

  it('is a session with a stuck agent when nobody waits', () => {
    const stuck = graphOf([
      main(),
      main({ session_id: 's2', started_at: NOW - 50_000 }),
      agent({ session_id: 's2', state: 'stuck' }),
    ])
    expect(selectSession(stuck, null, String).index).toBe(1)
  })

  it('is empty without sessions', () => {
    expect(selectSession(graphOf([]), null, () => '')).toMatchObject({ index: 0, of: 0 })
  })
})

describe('visible agents', () => {
  it('include alive ones and, for a while, ended ones, with failures the longest', () => {
    const done = agent({ state: 'done', ended_at: NOW - 6_000 })
    const failed = agent({ state: 'failed', ended_at: NOW - 6_000 })
    expect(isShown(agent(), NOW)).toBe(true)
    expect(isShown(done, NOW)).toBe(false)
    expect(isShown(failed, NOW)).toBe(true)
    expect(nextHideTime([agent(), done, failed], NOW)).toBe(NOW + 54_000)
  })

  it('include agents that match an outcome filter for ten minutes', () => {
    const agents = [
      main(),
      agent({ id: 'old', state: 'failed', ended_at: NOW - 600_000 }),
      agent({ id: 'new', state: 'failed', ended_at: NOW - 599_000 }),
      agent({ id: 'done', state: 'done', ended_at: NOW - 599_000 }),
    ]
    expect(names(graphOf(agents, { filter: { state: 'failed' } }))).toEqual(['main', 'new'])
    expect(names(graphOf(agents, { filter: { state: 'done' } }))).toEqual(['main', 'done'])
    expect(names(graphOf(agents))).toEqual(['main'])
  })

  it('include an ended parent while a child is alive', () => {
    const graph = graphOf([
      main(),
      agent({ id: 'p', state: 'done', ended_at: NOW - 600_000 }),
      agent({ id: 'c', parent_id: 'p' }),
    ])
    expect(names(graph)).toEqual(['main', 'p', 'c'])
  })
})

describe('hiding ended agents', () => {
  const ended = (change: Parameters<typeof agent>[0]) => agent({ state: 'done', ended_at: NOW, ...change })

  it.each([
    ['stopped', { ended_at: NOW - 6_000 }],
    ['lost', { ended_at: NOW - 1_800_000, lost_at: NOW - 6_000 }],
  ] as const)('keeps a %s agent visible for a minute after that became known', (outcome, ended) => {
    const forced = agent({ state: 'done', outcome, ...ended })
    expect([53_999, 54_000].map((later) => isShown(forced, NOW + later))).toEqual([true, false])
  })

  it('keeps main visible for a minute after its end', () => {
    const over = main({ state: 'done', ended_at: NOW })
    expect([59_999, 60_000].map((later) => isShown(over, NOW + later))).toEqual([true, false])
  })

  it('reports the earliest time at which an agent disappears, in any order', () => {
    const all = [
      ended({ id: 'f', state: 'failed' }),
      ended({ id: 'd' }),
      ended({ id: 'later', ended_at: NOW + 2_000 }),
      agent(),
    ]
    expect(nextHideTime(all, NOW)).toBe(NOW + 5_000)
    expect(nextHideTime(all.toReversed(), NOW)).toBe(NOW + 5_000)
    expect(nextHideTime(all, NOW + 5_000)).toBe(NOW + 7_000)
    expect(nextHideTime([agent()], NOW)).toBeNull()
  })
})

describe('needs you', () => {
  it('lists waiting agents before stuck ones, the longest first', () => {
    const list = findWaitingAgents([
      agent({ id: 'stuck', state: 'stuck', doing: { tool: 'Bash', preview: null, since: NOW - 900_000 } }),
      agent({ id: 'young', state: 'waiting', last_at: NOW - 1_000 }),
      agent({ id: 'old', state: 'waiting', wait_since: NOW - 90_000, last_at: NOW }),
      agent({ id: 'works' }),
    ])
    expect(list.map((one) => one.id)).toEqual(['old', 'young', 'stuck'])
  })
})

describe('the activity of an agent', () => {
  it('is its wait reason, its tool call, its sub-agents, silence or thinking', () => {
    const doing = { tool: 'Bash', preview: 'npm\n test', since: NOW }
    expect([
      describeActivity(agent({ state: 'waiting', wait_reason: 'allow Bash?' }), 0),
      describeActivity(agent({ doing }), 2),
      describeActivity(agent({ state: 'stuck', doing }), 0),
      describeActivity(agent({ state: 'done', doing }), 0),
    ]).toEqual(['allow Bash?', 'Bash npm test', 'Bash npm test', '–'])
    const idle = [
      describeActivity(agent(), 0),
      describeActivity(agent(), 2),
      describeActivity(agent({ state: 'stuck' }), 2),
      describeActivity(agent({ state: 'waiting' }), 0),
    ]
    expect(new Set(idle).size).toBe(4)
    expect(idle).toEqual([
      words.live.panel.thinking,
      words.live.panel.runs(2),
      words.live.silent,
      words.live.states.waiting,
    ])
  })

  it('sums calls and input tokens and leaves the cost unknown without a price', () => {
    const usage = {
      input: 1,
      output: 2,
      cache_read: 30,
      cache_write: 400,
      cost_micro_usd: 0,
      cost_unknown: 0,
    }
    const spent = (change: object) => agent({ usage: { ...usage, ...change } as Agent['usage'] })
    expect(countCalls(agent({ tool_counts: { Bash: 2, Read: 3 } }))).toBe(5)
    expect([countInputTokens(spent({})), countInputTokens(agent())]).toEqual([431, null])
    const none = { input: 0, output: 0, cache_read: 0, cache_write: 0 }
    expect([
      countOutputTokens(spent({})),
      countOutputTokens(spent({ output: 0 })),
      countOutputTokens(agent()),
    ]).toEqual([2, 0, null])
    expect([countInputTokens(spent(none)), countOutputTokens(spent(none))]).toEqual([null, null])
    expect([
      agentCost(agent()),
      agentCost(spent({})),
      agentCost(spent({ cost_unknown: 1 })),
      agentCost(spent({ cost_micro_usd: 1_500_000, cost_unknown: 1 })),
    ]).toEqual([null, 0, null, 1.5])
  })
})

describe('names', () => {
  it('title a session by its topic, else its project, else the start of its id', () => {
    const long = { session_id: '0123456789' }
    expect(sessionTitle(session(long))).toBe('Split billing')
    expect(sessionTitle(session({ ...long, title: null }))).toBe('atlas-api')
    expect(sessionTitle(session({ ...long, title: null, project: null }))).toBe('01234567')
  })

  it('parse a key back into its agent', () => {
    const ref = { source: 'claude-code', session_id: 'a~b/c d', id: 'x~1' }
    expect(parseAgentKey(toAgentKey(ref))).toEqual(ref)
    expect(parseAgentKey('nonsense')).toBeNull()
    expect(parseAgentKey('%E0~a~b')).toBeNull()
  })

  it('name an agent by its type or by the end of its id', () => {
    expect(agentName(main())).toBe('main')
    expect(agentName(agent({ subagent_type: 'explore' }))).toBe('explore')
    expect(agentName(agent({ id: 'toolu_0123456789abcdef' }))).toBe('…89abcdef')
  })

  it('recognize the family of a model', () => {
    expect(['claude-opus-5', 'claude-3-haiku', 'gpt-6', null].map(modelFamily)).toEqual([
      'opus',
      'haiku',
      'other',
      'other',
    ])
  })

  it('count agents by state, and only running ones as alive', () => {
    expect(countStates([agent(), agent({ state: 'stuck' }), agent({ state: 'done' })])).toEqual({
      alive: 2,
      working: 1,
      waiting: 0,
      stuck: 1,
      failed: 0,
      stopped: 0,
      done: 1,
    })
  })

  it('count and match stopped and lost agents apart from done ones', () => {
    const ended = (outcome: Agent['outcome']) => agent({ state: 'done', outcome, ended_at: NOW })
    const agents = [
      ended('functional'),
      ended(null),
      ended('stopped'),
      ended('lost'),
      agent({ state: 'failed' }),
    ]
    expect(countStates(agents)).toMatchObject({ failed: 1, stopped: 2, done: 2 })
    const found = (state: StateFilter) => agents.filter((one) => matchesFilter(one, { state }, new Map()))
    expect(found('done').map(({ outcome }) => outcome)).toEqual(['functional', null])
    expect(found('stopped').map(({ outcome }) => outcome)).toEqual(['stopped', 'lost'])
    const later = NOW + 120_000
    expect(isShown(ended('lost'), later, 'stopped')).toBe(true)
    expect(isShown(ended('lost'), later, 'done')).toBe(false)
  })
})
