import { describe, expect, it } from 'vitest'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { createLayout } from '../layout/layout.ts'
import { buildGraph } from '../model/build-graph.ts'
import { createMotion } from './motion.ts'
import { pillSpots } from './pills.ts'
import type { StageState } from './stage-state.ts'

const tools = (p95_ms: number | null) => [
  { source: 'claude-code', tool: 'Bash', calls: 12, errors: 2, samples: 9, p50_ms: 80, p95_ms },
]
const busy = [
  main({ tool_counts: { Bash: 12, Read: 9 }, errors: 2, tool_errors: { Bash: 2 } }),
  agent({ tool_counts: { Edit: 4, Grep: 2, Glob: 1 }, errors: 1, tool_errors: { Glob: 1 } }),
]
/** All letters have the same width. */
const pen = { measureText: (text: string) => ({ width: 6 * text.length }) } as CanvasRenderingContext2D

/** The text of the pills of a session with this much room on the screen. */
function said(scale: number, room = 1_000): readonly string[] {
  const options = { now: NOW, filter: {}, selected: null, open: new Set<string>(), say: () => '' }
  const graph = buildGraph(scene(busy, { sessions: [session()], tools: tools(4_100) }), options)
  const [one] = graph.sessions
  if (!one) throw new Error('no session')
  const layout = createLayout().place([{ key: one.key, nodes: one.nodes, pills: 4 }], 1)
  const [spot] = layout.sessions
  if (!spot) throw new Error('no place')
  const box = { ...spot.box, width: room / scale }
  const state = {
    camera: { scale, x: 0, y: 0 },
    width: 2_000,
    height: 2_000,
    eyes: [{ session: one, x: spot.x, y: spot.y, rings: spot.rings, box, first: 0, count: 2 }],
    motion: createMotion(),
  } as unknown as StageState
  return pillSpots(pen, state).map(({ parts }) => parts.map((part) => part.text).join(' '))
}

describe('the tool pills of a session', () => {
  it('show calls, failures and duration per tool and combine the rest', () => {
    expect(said(1.2)).toEqual(['Bash ×12 ✕ 2 p95 4.1 s', 'Read ×9', 'Edit ×4', '+2 tools ×3 ✕ 1'])
  })

  it('drop durations first and then tools when space is tight', () => {
    expect(said(1, 200)).toEqual(['Bash ×12 ✕ 2', 'Read ×9', 'Edit ×4', '+2 tools ×3 ✕ 1'])
    expect(said(1, 170)).toEqual(['Bash ×12 ✕ 2', 'Read ×9', '+3 tools ×7 ✕ 1'])
    expect(said(1, 110)).toEqual(['5 tools ×28 ✕ 3'])
    expect(said(1, 100)).toEqual([])
    expect(said(0.4)).toEqual([])
  })
})
