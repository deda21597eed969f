import { describe, expect, it } from 'vitest'
import { agent, main, NOW, scene } from '../agents.test-kit.ts'
import { keyOf } from '../data/key.ts'
import { fitCamera, zoomAt } from '../draw/camera.ts'
import { createMotion } from '../draw/motion.ts'
import { buildGraph } from '../model/build-graph.ts'
import { pulseOf, pulsesBetween } from './pulses.ts'
import { layoutOf, signatureOf } from './signature.ts'
import { walk } from './walk.ts'

const graph = buildGraph(
  scene([
    main(),
    agent({ id: 'a', started_at: NOW - 50_000 }),
    agent({ id: 'b', started_at: NOW - 40_000 }),
    agent({ id: 'c', parent_id: 'a', started_at: NOW - 30_000 }),
    main({ session_id: 's2', started_at: NOW - 10_000 }),
  ]),
  { now: NOW, filter: {}, selected: null, open: new Set(), say: () => '' },
)
const key = (id: string, session_id = 's1') => keyOf({ source: 'claude-code', session_id, id })

describe('walking along the tree', () => {
  it('starts at the first main', () => {
    expect(walk(graph, null, 'down')).toBe(key('main'))
    expect(walk(graph, 'gone', 'left')).toBe(key('main'))
  })

  it('goes down to a child, sideways to its siblings and up again', () => {
    expect(walk(graph, key('main'), 'down')).toBe(key('a'))
    expect(walk(graph, key('a'), 'right')).toBe(key('b'))
    expect(walk(graph, key('b'), 'right')).toBe(key('a'))
    expect(walk(graph, key('a'), 'down')).toBe(key('c'))
    expect(walk(graph, key('c'), 'up')).toBe(key('a'))
    expect(walk(graph, key('c'), 'down')).toBe(key('c'))
  })

  it('goes from one session to the next at their mains', () => {
    expect(walk(graph, key('main'), 'right')).toBe(key('main', 's2'))
    expect(walk(graph, key('main', 's2'), 'right')).toBe(key('main'))
  })
})

describe('the signature of a layout', () => {
  const signed = (...agents: readonly Parameters<typeof agent>[0][]) =>
    signatureOf(
      layoutOf(
        buildGraph(scene([main(), ...agents.map((one) => agent(one))]), {
          now: NOW,
          filter: {},
          selected: null,
          open: new Set(),
          say: () => '',
        }),
      ),
    )

  it('stays the same while agents only change what they do, and changes when one moves in the tree', () => {
    const before = signed({ id: 'a', started_at: 1 }, { id: 'b', started_at: 2 })
    expect(signed({ id: 'a', started_at: 1, state: 'stuck' }, { id: 'b', started_at: 2 })).toBe(before)
    expect(signed({ id: 'a', started_at: 1 }, { id: 'b', started_at: 2, parent_id: 'a' })).not.toBe(before)
    expect(signed({ id: 'a', started_at: 1 })).not.toBe(before)
    expect(signed({ id: 'a', started_at: 1, tool_counts: { Bash: 1 } }, { id: 'b', started_at: 2 })).not.toBe(
      before,
    )
  })
})

describe('pulses', () => {
  const event = {
    v: 1 as const,
    key: 'k',
    seq: 1,
    ts: NOW,
    source: 'claude-code',
    host: 'h',
    session_id: 's1',
  }

  it('come from calls of tools and skills, main’s too, and from nothing else', () => {
    expect(pulseOf({ ...event, event: 'tool_use', agent_id: 'a', tool: 'Bash' })).toEqual({
      key: key('a'),
      tool: 'Bash',
    })
    expect(pulseOf({ ...event, event: 'tool_use', tool: 'mcp__db__query' })).toEqual({
      key: key('main'),
      tool: 'query',
    })
    expect(pulseOf({ ...event, event: 'skill_use', agent_id: 'a', skill: 'deploy' })).toEqual({
      key: key('a'),
      tool: 'deploy',
    })
    expect(pulseOf({ ...event, event: 'prompt' })).toBeNull()
  })

  it('come in a replay from whoever called something between two frames', () => {
    const before = [agent({ id: 'a', tool_counts: { Bash: 1 } }), agent({ id: 'b' })]
    const after = [
      agent({ id: 'a', tool_counts: { Bash: 1, Read: 1 } }),
      agent({ id: 'b' }),
      agent({ id: 'new' }),
    ]
    expect(pulsesBetween(before, after)).toEqual([{ key: key('a'), tool: 'Read' }])
  })
})

describe('motion', () => {
  it('pulses for 400 ms, shows the name for 800 ms, then rests', () => {
    const motion = createMotion()
    expect(motion.moving(0)).toBe(false)
    motion.pulse('a', 'Bash', 1_000)
    expect(motion.pulseOf('a', 1_200)).toBeCloseTo(1)
    expect(motion.pulseOf('a', 1_400)).toBe(0)
    expect(motion.floats(1_700)).toHaveLength(1)
    expect(motion.floats(1_800)).toHaveLength(0)
    expect(motion.moving(1_799)).toBe(true)
    expect(motion.moving(1_800)).toBe(false)
  })

  it('fades in over 300 ms', () => {
    const motion = createMotion()
    motion.appear('a', 0)
    expect([0, 150, 300].map((now) => motion.fadeOf('a', now))).toEqual([0, 0.5, 1])
    expect(motion.fadeOf('unknown', 0)).toBe(1)
  })
})

describe('the camera', () => {
  it('fits everything in and does not blow up what is small', () => {
    const whole = { x: -500, y: 0, width: 2_000, height: 400 }
    const camera = fitCamera(whole, 1_000, 600)
    expect(whole.x * camera.scale + camera.x).toBeGreaterThanOrEqual(0)
    expect((whole.x + whole.width) * camera.scale + camera.x).toBeLessThanOrEqual(1_000)
    expect(fitCamera({ x: 0, y: 0, width: 50, height: 50 }, 1_000, 600).scale).toBeLessThan(1.5)
  })

  it('keeps the point under the pointer where it is', () => {
    const before = { scale: 1, x: 10, y: 20 }
    const after = zoomAt(before, 2, 110, 220)
    expect([100 * after.scale + after.x, 200 * after.scale + after.y]).toEqual([110, 220])
  })
})
