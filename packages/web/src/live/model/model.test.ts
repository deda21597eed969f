import { describe, expect, it } from 'vitest'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { keyOf, refOf } from '../data/key.ts'
import { buildGraph, type GraphOptions } from './build-graph.ts'
import { countProjects, countStates, hostsOf, projectsOf } from './filter.ts'
import { familyOf, nameOf } from './names.ts'
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

describe('names', () => {
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
