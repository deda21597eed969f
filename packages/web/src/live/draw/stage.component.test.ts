import '../../design/design.css'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { layoutOf } from '../graph/signature.ts'
import { createLayout } from '../layout/layout.ts'
import { buildGraph } from '../model/build-graph.ts'
import type { LiveFilter } from '../model/filter.ts'
import { createStage, type Stage } from './stage.ts'

const WAITER = 'claude-code~s1~a1'

/** A stage that shows a main, an agent that waits, and one under it that works. */
function makeStage(options: { readonly reduced: boolean; readonly filter?: LiveFilter }): Stage {
  const canvas = document.body.appendChild(document.createElement('canvas'))
  const stage = createStage(canvas, options.reduced)
  stage.resize(800, 600, 1)
  const agents = [main(), agent({ state: 'waiting' }), agent({ id: 'a2', parent_id: 'a1' })]
  const graph = buildGraph(scene(agents, { sessions: [session()] }), {
    now: NOW,
    filter: options.filter ?? {},
    selected: null,
    open: new Set(),
    say: String,
  })
  stage.show(graph, createLayout().place(layoutOf(graph), 1.5))
  stage.fit(false)
  return stage
}

/** How many frames are drawn while so much time passes. */
function framesIn(stage: Stage, ms: number): number {
  const before = stage.frames()
  vi.advanceTimersByTime(ms)
  return stage.frames() - before
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: [
      'setTimeout',
      'clearTimeout',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'performance',
      'Date',
    ],
  })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

describe('the stage of the graph', () => {
  it('breathes every two seconds with an agent that waits, where motion is welcome', () => {
    const stage = makeStage({ reduced: false })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 1_800)).toBeGreaterThan(20)
    expect(framesIn(stage, 1_000)).toBe(0)
    expect(framesIn(stage, 1_000)).toBeGreaterThan(20)
    stage.stop()
  })

  it('draws no frame while nothing happens: an agent that only stands above another does not breathe', () => {
    const stage = makeStage({ reduced: false, filter: { state: 'working' } })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.stop()
  })

  it('shows a call for 800 ms and then rests', () => {
    const stage = makeStage({ reduced: false, filter: { state: 'working' } })
    framesIn(stage, 1_000)
    stage.pulse('claude-code~s1~main', 'Grep')
    expect(framesIn(stage, 700)).toBeGreaterThan(30)
    framesIn(stage, 200)
    expect(framesIn(stage, 1_000)).toBe(0)
    stage.stop()
  })

  it('neither pulses nor breathes nor glides where motion is not welcome', () => {
    const stage = makeStage({ reduced: true })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.pulse(WAITER, 'Grep')
    expect(framesIn(stage, 1_000)).toBe(0)
    stage.setCamera({ ...stage.camera(), scale: 0.5 }, true)
    expect(framesIn(stage, 1_000)).toBe(1)
    stage.stop()
  })

  it('begins to breathe when motion becomes welcome, and stops when it no longer is', () => {
    const stage = makeStage({ reduced: true })
    stage.restyle(false)
    expect(framesIn(stage, 3_000)).toBeGreaterThan(20)
    stage.restyle(true)
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.stop()
  })
})
