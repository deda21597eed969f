import { describe, expect, it } from 'vitest'
import { agent, main, NOW, scene } from '../agents.test-kit.ts'
import { toAgentKey } from '../data/agent-key.ts'
import { fitCamera, zoomAt } from '../draw/camera.ts'
import { createMotion } from '../draw/motion.ts'
import { buildGraph } from '../model/build-graph.ts'
import { layoutSessions, layoutSignature } from './graph-view.tsx'
import { moveSelection } from './keyboard-navigation.ts'
import { pulsesBetween, toPulse } from './pulses.ts'

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
const key = (id: string, session_id = 's1') => toAgentKey({ source: 'claude-code', session_id, id })

describe('keyboard navigation in the graph', () => {
  it('starts at the first main', () => {
    expect(moveSelection(graph, null, 'down')).toBe(key('main'))
    expect(moveSelection(graph, 'gone', 'left')).toBe(key('main'))
  })

  it('moves to the first child, to siblings and to the parent', () => {
    expect(moveSelection(graph, key('main'), 'down')).toBe(key('a'))
    expect(moveSelection(graph, key('a'), 'right')).toBe(key('b'))
    expect(moveSelection(graph, key('b'), 'right')).toBe(key('a'))
    expect(moveSelection(graph, key('a'), 'down')).toBe(key('c'))
    expect(moveSelection(graph, key('c'), 'up')).toBe(key('a'))
    expect(moveSelection(graph, key('c'), 'down')).toBe(key('c'))
  })

  it('moves from one main to the next', () => {
    expect(moveSelection(graph, key('main'), 'right')).toBe(key('main', 's2'))
    expect(moveSelection(graph, key('main', 's2'), 'right')).toBe(key('main'))
  })
})

describe('the layout signature', () => {
  const signed = (...agents: readonly Parameters<typeof agent>[0][]) =>
    layoutSignature(
      layoutSessions(
        buildGraph(scene([main(), ...agents.map((one) => agent(one))]), {
          now: NOW,
          filter: {},
          selected: null,
          open: new Set(),
          say: () => '',
        }),
      ),
    )

  it('changes with the tree and its tools but not with the state of an agent', () => {
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

  it('come only from tool and skill calls, including those of main', () => {
    expect(toPulse({ ...event, event: 'tool_use', agent_id: 'a', tool: 'Bash' })).toEqual({
      key: key('a'),
      tool: 'Bash',
    })
    expect(toPulse({ ...event, event: 'tool_use', tool: 'mcp__db__query' })).toEqual({
      key: key('main'),
      tool: 'query',
    })
    expect(toPulse({ ...event, event: 'skill_use', agent_id: 'a', skill: 'deploy' })).toEqual({
      key: key('a'),
      tool: 'deploy',
    })
    expect(toPulse({ ...event, event: 'prompt' })).toBeNull()
  })

  it('come in a replay from agents that called a tool between two frames', () => {
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
  it('pulses for 400 ms, shows the tool for 800 ms and then rests', () => {
    const motion = createMotion()
    expect(motion.isMoving(0)).toBe(false)
    motion.pulse('a', 'Bash', 1_000)
    expect(motion.pulseLevel('a', 1_200)).toBeCloseTo(1)
    expect(motion.pulseLevel('a', 1_400)).toBe(0)
    expect(motion.floats(1_700)).toHaveLength(1)
    expect(motion.floats(1_800)).toHaveLength(0)
    expect(motion.isMoving(1_799)).toBe(true)
    expect(motion.isMoving(1_800)).toBe(false)
  })

  it('fades in over 300 ms', () => {
    const motion = createMotion()
    motion.appear('a', 0)
    expect([0, 150, 300].map((now) => motion.fadeLevel('a', now))).toEqual([0, 0.5, 1])
    expect(motion.fadeLevel('unknown', 0)).toBe(1)
  })
})

describe('the camera', () => {
  it('fits the whole graph without enlarging a small one', () => {
    const whole = { x: -500, y: 0, width: 2_000, height: 400 }
    const camera = fitCamera(whole, 1_000, 600)
    expect(whole.x * camera.scale + camera.x).toBeGreaterThanOrEqual(0)
    expect((whole.x + whole.width) * camera.scale + camera.x).toBeLessThanOrEqual(1_000)
    expect(fitCamera({ x: 0, y: 0, width: 50, height: 50 }, 1_000, 600).scale).toBeLessThan(1.5)
  })

  it('keeps the point under the pointer in place while it zooms', () => {
    const before = { scale: 1, x: 10, y: 20 }
    const after = zoomAt(before, 2, 110, 220)
    expect([100 * after.scale + after.x, 200 * after.scale + after.y]).toEqual([110, 220])
  })
})
