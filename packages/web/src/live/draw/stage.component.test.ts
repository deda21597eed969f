import '../../design/design.css'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { layoutSessions } from '../graph/graph-view.tsx'
import { createLayout } from '../layout/layout.ts'
import { buildGraph } from '../model/build-graph.ts'
import type { LiveFilter } from '../model/filter.ts'
import { createStage, type Stage } from './stage.ts'

const WAITER = 'claude-code~s1~a1'

/** A stage with main, a waiting agent, and a working agent under it. */
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
  stage.show(graph, createLayout().place(layoutSessions(graph), 1.5))
  stage.fit(false)
  return stage
}

/** Counts the frames that are drawn while the given time passes. */
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
  it('animates a waiting agent every two seconds when motion is allowed', () => {
    const stage = makeStage({ reduced: false })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 1_800)).toBeGreaterThan(20)
    expect(framesIn(stage, 1_000)).toBe(0)
    expect(framesIn(stage, 1_000)).toBeGreaterThan(20)
    stage.stop()
  })

  it('draws no frame for a waiting agent that is shown only as an ancestor', () => {
    const stage = makeStage({ reduced: false, filter: { state: 'working' } })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.stop()
  })

  it('shows a tool call for 800 ms and then rests', () => {
    const stage = makeStage({ reduced: false, filter: { state: 'working' } })
    framesIn(stage, 1_000)
    stage.pulse('claude-code~s1~main', 'Grep')
    expect(framesIn(stage, 700)).toBeGreaterThan(30)
    framesIn(stage, 200)
    expect(framesIn(stage, 1_000)).toBe(0)
    stage.stop()
  })

  it('shows no pulse, breath or camera transition with reduced motion', () => {
    const stage = makeStage({ reduced: true })
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.pulse(WAITER, 'Grep')
    expect(framesIn(stage, 1_000)).toBe(0)
    stage.setCamera({ ...stage.camera(), scale: 0.5 }, true)
    expect(framesIn(stage, 1_000)).toBe(1)
    stage.stop()
  })

  it('follows a change of the motion preference', () => {
    const stage = makeStage({ reduced: true })
    stage.restyle(false)
    expect(framesIn(stage, 3_000)).toBeGreaterThan(20)
    stage.restyle(true)
    framesIn(stage, 1_000)
    expect(framesIn(stage, 10_000)).toBe(0)
    stage.stop()
  })
})
