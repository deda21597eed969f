import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { words } from '../../words.ts'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { keyOf, refOf } from '../data/key.ts'
import { buildGraph, type GraphOptions } from './build-graph.ts'
import { callsOf, doingNow, moneyOf, tokensIn } from './doing.ts'
import { countProjects, countStates, hostsOf, projectsOf } from './filter.ts'
import { familyOf, nameOf, sessionTitle } from './names.ts'
import { needsYou } from './needs-you.ts'
import { oneSession } from './one-session.ts'
import { isShown, nextGone } from './shown.ts'

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
  it('is a tree with main in its middle, parents before children', () => {
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

  it('hangs an agent whose parent is not known under main', () => {
    const nodes = graphOf([main(), agent({ id: 'x', parent_id: 'gone' })]).sessions[0]?.nodes ?? []
    expect(nodes[1]?.parent).toBe(0)
  })

  it('survives agents that are each other’s parents', () => {
    const nodes = graphOf([main(), agent({ id: 'x', parent_id: 'y' }), agent({ id: 'y', parent_id: 'x' })])
    expect(names(nodes)).toContain('x')
    expect(names(nodes)).toContain('y')
  })

  it('folds four children alike into one, and leaves out who waits', () => {
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
    const selected = graphOf([main(), ...explorers], { selected: keyOf(agent({ id: 'c' })) })
    expect(selected.sessions[0]?.nodes.map((node) => node.members.length)).toEqual([0, 4, 0])
  })

  it('does not fold a child that has children of its own, nor groups that someone opened', () => {
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

  it('does not fold three', () => {
    const three = ['a', 'b', 'c'].map((id) => agent({ id, subagent_type: 'explore' }))
    expect(graphOf([main(), ...three]).nodes).toBe(4)
  })

  it('keeps who is above an agent the filter names, dimmed', () => {
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

  it('is of the projects of the sessions it shows, each once, and of none for a session without one', () => {
    const of = (session_id: string, project: string | null) => session({ session_id, project })
    const sessions = [of('s1', 'atlas-api'), of('s2', 'atlas-api'), of('s3', null), of('s4', 'notes')]
    const counted = (...ids: readonly string[]) => {
      const agents = ids.map((session_id) => main({ session_id }))
      const graph = buildGraph(scene(agents, { sessions }), options())
      return countProjects(graph.sessions, projectsOf(sessions))
    }
    expect(counted('s1', 's2', 's3', 's4')).toBe(2)
    expect(counted('s1', 's2', 's3')).toBe(1)
    expect(counted('s3')).toBe(0)
  })

  it('says whose computer a session is of where there are several, and keeps to one that is asked for', () => {
    const of = (session_id: string, host?: string) => session({ session_id, ...(host && { host }) })
    expect(hostsOf([of('s1', 'desk'), of('s2', 'desk'), of('s3')])).toEqual(new Map())
    const sessions = [of('s1', 'desk'), of('s2', 'laptop'), of('s3')]
    expect([...hostsOf(sessions)]).toEqual([
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

  it('shows no session that the filter leaves out', () => {
    expect(graphOf([main()], { filter: { project: 'other' } }).sessions).toEqual([])
    expect(graphOf([main()], { filter: { project: 'atlas-api' } }).sessions).toHaveLength(1)
    expect(graphOf([main()], { filter: { model: 'opus' } }).sessions).toEqual([])
  })

  it('shows one session alone, and a past one as it ended', () => {
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

  it('names three tools and sums up the rest', () => {
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

  it('does not say of a tool that it never failed where that is not known', () => {
    const graph = graphOf([
      main({ tool_counts: { Bash: 4 }, errors: 2 }),
      agent({ tool_counts: { Bash: 1 } }),
    ])
    expect(graph.sessions[0]?.tools).toEqual([{ tool: 'Bash', calls: 5, errors: null, p95_ms: null }])
  })

  it('says how slow a tool is of its own source alone', () => {
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
    const { graph: one, index, of } = oneSession(graph, chosen, (count, others) => `${count}, ${others} more`)
    return [one.sessions.map(({ key, count }) => `${key} ${count}`), one.alive, index, of]
  }

  it('is the chosen one, and says how many others there are', () => {
    expect(shown('claude-code~s3')).toEqual([['claude-code~s3 1 agents, 2 more'], 1, 2, 3])
  })

  it('is the one that needs someone where none was chosen, or the chosen one is gone', () => {
    expect(shown(null)).toEqual([['claude-code~s2 2 agents, 2 more'], 2, 1, 3])
    expect(shown('gone')).toEqual(shown(null))
  })

  it('is one that is stuck where nobody waits', () => {
    const stuck = graphOf([
      main(),
      main({ session_id: 's2', started_at: NOW - 50_000 }),
      agent({ session_id: 's2', state: 'stuck' }),
    ])
    expect(oneSession(stuck, null, String).index).toBe(1)
  })

  it('is none where there are none', () => {
    expect(oneSession(graphOf([]), null, () => '')).toMatchObject({ index: 0, of: 0 })
  })
})

describe('who is in sight', () => {
  it('is who lives, and for a while who ended; a failure stays longer', () => {
    const done = agent({ state: 'done', ended_at: NOW - 6_000 })
    const failed = agent({ state: 'failed', ended_at: NOW - 6_000 })
    expect(isShown(agent(), NOW)).toBe(true)
    expect(isShown(done, NOW)).toBe(false)
    expect(isShown(failed, NOW)).toBe(true)
    expect(nextGone([agent(), done, failed], NOW)).toBe(NOW + 54_000)
  })

  it('is whoever is asked for by how it ended, for ten minutes', () => {
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

  it('keeps an ended parent for as long as a child lives', () => {
    const graph = graphOf([
      main(),
      agent({ id: 'p', state: 'done', ended_at: NOW - 600_000 }),
      agent({ id: 'c', parent_id: 'p' }),
    ])
    expect(names(graph)).toEqual(['main', 'p', 'c'])
  })
})

describe('who goes out of sight', () => {
  const ended = (change: Parameters<typeof agent>[0]) => agent({ state: 'done', ended_at: NOW, ...change })

  it('is a main only a minute after it ended', () => {
    const over = main({ state: 'done', ended_at: NOW })
    expect([59_999, 60_000].map((later) => isShown(over, NOW + later))).toEqual([true, false])
  })

  it('is first whoever has the least time left, in any order', () => {
    const all = [
      ended({ id: 'f', state: 'failed' }),
      ended({ id: 'd' }),
      ended({ id: 'later', ended_at: NOW + 2_000 }),
      agent(),
    ]
    expect(nextGone(all, NOW)).toBe(NOW + 5_000)
    expect(nextGone(all.toReversed(), NOW)).toBe(NOW + 5_000)
    expect(nextGone(all, NOW + 5_000)).toBe(NOW + 7_000)
    expect(nextGone([agent()], NOW)).toBeNull()
  })
})

describe('needs you', () => {
  it('lists who waits first, then who is stuck, the longest first', () => {
    const list = needsYou([
      agent({ id: 'stuck', state: 'stuck', doing: { tool: 'Bash', preview: null, since: NOW - 900_000 } }),
      agent({ id: 'young', state: 'waiting', last_at: NOW - 1_000 }),
      agent({ id: 'old', state: 'waiting', wait_since: NOW - 90_000, last_at: NOW }),
      agent({ id: 'works' }),
    ])
    expect(list.map((one) => one.id)).toEqual(['old', 'young', 'stuck'])
  })
})

describe('what an agent does now', () => {
  it('is what it waits for, what it calls, or that it thinks, is silent or has others at work', () => {
    const doing = { tool: 'Bash', preview: 'npm\n test', since: NOW }
    expect([
      doingNow(agent({ state: 'waiting', wait_reason: 'allow Bash?' }), 0),
      doingNow(agent({ doing }), 2),
      doingNow(agent({ state: 'stuck', doing }), 0),
      doingNow(agent({ state: 'done', doing }), 0),
    ]).toEqual(['allow Bash?', 'Bash npm test', 'Bash npm test', '–'])
    const idle = [
      doingNow(agent(), 0),
      doingNow(agent(), 2),
      doingNow(agent({ state: 'stuck' }), 2),
      doingNow(agent({ state: 'waiting' }), 0),
    ]
    expect(new Set(idle).size).toBe(4)
    expect(idle).toEqual([
      words.live.panel.thinking,
      words.live.panel.runs(2),
      words.live.silent,
      words.live.states.waiting,
    ])
  })

  it('counts all its calls and all tokens that went in, and knows no cost where no price is known', () => {
    const usage = {
      input: 1,
      output: 2,
      cache_read: 30,
      cache_write: 400,
      cost_micro_usd: 0,
      cost_unknown: 0,
    }
    const spent = (change: object) => agent({ usage: { ...usage, ...change } as Agent['usage'] })
    expect(callsOf(agent({ tool_counts: { Bash: 2, Read: 3 } }))).toBe(5)
    expect([tokensIn(spent({})), tokensIn(agent())]).toEqual([431, null])
    expect([
      moneyOf(agent()),
      moneyOf(spent({})),
      moneyOf(spent({ cost_unknown: 1 })),
      moneyOf(spent({ cost_micro_usd: 1_500_000, cost_unknown: 1 })),
    ]).toEqual([null, 0, null, 1.5])
  })
})

describe('names', () => {
  it('call a session by what it is about, else by its project, else by the start of its id', () => {
    const long = { session_id: '0123456789' }
    expect(sessionTitle(session(long))).toBe('Split billing')
    expect(sessionTitle(session({ ...long, title: null }))).toBe('atlas-api')
    expect(sessionTitle(session({ ...long, title: null, project: null }))).toBe('01234567')
  })

  it('reads a key back into the agent it names', () => {
    const ref = { source: 'claude-code', session_id: 'a~b/c d', id: 'x~1' }
    expect(refOf(keyOf(ref))).toEqual(ref)
    expect(refOf('nonsense')).toBeNull()
    expect(refOf('%E0~a~b')).toBeNull()
  })

  it('calls an agent by its kind, or by the end of its id', () => {
    expect(nameOf(main())).toBe('main')
    expect(nameOf(agent({ subagent_type: 'explore' }))).toBe('explore')
    expect(nameOf(agent({ id: 'toolu_0123456789abcdef' }))).toBe('…89abcdef')
  })

  it('knows the family of a model', () => {
    expect(['claude-opus-5', 'claude-3-haiku', 'gpt-6', null].map(familyOf)).toEqual([
      'opus',
      'haiku',
      'other',
      'other',
    ])
  })

  it('counts who is how, and only who lives as alive', () => {
    expect(countStates([agent(), agent({ state: 'stuck' }), agent({ state: 'done' })])).toEqual({
      alive: 2,
      working: 1,
      waiting: 0,
      stuck: 1,
      failed: 0,
      done: 1,
    })
  })
})
