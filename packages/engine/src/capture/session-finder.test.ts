import { describe, expect, it } from 'vitest'
import { type Captured, keysOf, setUp } from './normalise.test-kit.ts'

describe('the session of a line in the first vocabulary', () => {
  const sessions = (captured: Captured) => captured.events.map((event) => event.session_id)

  it('is the parent that its spawn line names', async () => {
    const captured = await setUp().read({ event: 'agent_spawn', id: 'a1', parent_id: 's9' })
    expect(sessions(captured)).toEqual(['s9'])
  })

  it("is its agent's session when an earlier line, an earlier body or the store names it", async () => {
    const { read, queries } = setUp(new Map([['a3', { source: 'custom', session: 's3' }]]))
    const first = await read(
      { event: 'agent_spawn', id: 'a1', parent_id: 's1' },
      { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
      { event: 'tool_use', id: 't2', agent_id: 'a3', tool: 'Bash' },
      { event: 'agent_link', id: 'a4', session_id: 's4' },
      { event: 'agent_done', id: 'a4' },
    )
    expect(sessions(first)).toEqual(['s1', 's1', 's3', 's4', 's4'])
    expect(sessions(await read({ event: 'agent_done', id: 'a1' }))).toEqual(['s1'])
    expect(queries).toEqual([['a1', 'a3', 'a4']])
  })

  it("stays its agent's session when that agent spawns others", async () => {
    const spawnA = { event: 'agent_spawn', id: 'A', parent_id: 'P' }
    const spawnB = { event: 'agent_spawn', id: 'B', parent_id: 'A' }
    const work = [
      { event: 'tool_use', id: 't1', agent_id: 'A', tool: 'Bash' },
      { event: 'agent_done', id: 'A' },
      { event: 'tool_use', id: 't2', agent_id: 'B', tool: 'Bash' },
    ]
    expect(sessions(await setUp().read(spawnA, spawnB, ...work))).toEqual(['P', 'A', 'P', 'P', 'A'])
    const apart = setUp()
    await apart.read(spawnA)
    await apart.read(spawnB)
    expect(sessions(await apart.read(...work))).toEqual(['P', 'P', 'A'])
    const restarted = setUp(new Map([['A', { source: 'custom', session: 'P' }]]))
    expect(sessions(await restarted.read(spawnB, ...work))).toEqual(['A', 'P', 'P', 'A'])
  })

  it('is not derived from agent names that every session has', async () => {
    const { read, queries } = setUp()
    const captured = await read(
      { event: 'tool_use', id: 't1', agent_id: 'main', tool: 'Bash', session_id: 's1' },
      { event: 'tool_use', id: 't2', agent_id: 'unknown', tool: 'Bash', session_id: 's2' },
      { event: 'tool_use', id: 't3', agent_id: 'main', tool: 'Bash' },
      { event: 'tool_use', id: 't4', agent_id: 'unknown', tool: 'Bash' },
    )
    expect(sessions(captured)).toEqual(['s1', 's2', 'unknown', 'unknown'])
    expect(queries).toEqual([])
  })

  it("is its agent's session however many agents one body names", async () => {
    const count = 30_000
    const agents = new Map(
      Array.from({ length: count }, (_, n) => [`a${n}`, { source: 'custom', session: `s${n}` }] as const),
    )
    const { read } = setUp(agents)
    const lines = <T>(make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
    await read(...lines((n) => ({ event: 'agent_spawn', id: `a${n}`, parent_id: `s${n}` })))
    const used = await read(...lines((n) => ({ event: 'tool_use', id: `t${n}`, agent_id: `a${n}` })))
    expect(sessions(used)).toEqual(lines((n) => `s${n}`))
  })

  it('is unknown without such evidence, and for agents named main', async () => {
    const captured = await setUp(new Map([['main', { source: 'custom', session: 'no' }]])).read(
      { event: 'tool_use', id: 't1', agent_id: 'nobody' },
      { event: 'tool_use', id: 't2', agent_id: 'main' },
      { event: 'agent_spawn', id: 'a1', parent_id: null },
    )
    expect(sessions(captured)).toEqual(['unknown', 'unknown', 'unknown'])
  })

  it("is a skill's agent when that is a known session", async () => {
    const captured = await setUp().read(
      { event: 'skill_use', id: 'k1', agent_id: 's7', skill: 'review' },
      { event: 'agent_spawn', id: 'a1', parent_id: 's7' },
      { event: 'skill_use', id: 'k2', agent_id: 's7', skill: 'review' },
      { event: 'skill_use', id: 'k3', agent_id: 'main', skill: 'review' },
    )
    expect(sessions(captured)).toEqual(['unknown', 's7', 's7', 'unknown'])
  })

  it('changes no key when it becomes known later', async () => {
    const { read } = setUp()
    const line = { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' }
    const before = await read(line)
    await read({ event: 'agent_spawn', id: 'a1', parent_id: 's1' })
    const after = await read(line)
    expect(sessions(after)).toEqual(['s1'])
    expect(keysOf(after)).toEqual(keysOf(before))
  })

  it('does not treat the word unknown as an id', async () => {
    const captured = await setUp().read(
      { event: 'agent_spawn', id: 'unknown', parent_id: 's1', prompt_preview: 'one' },
      { event: 'agent_spawn', id: 'unknown', parent_id: 's1', prompt_preview: 'two' },
    )
    expect(new Set(keysOf(captured)).size).toBe(2)
  })
})
