import type { MoaTurn } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createTraceStatus } from './traces.ts'

const turn = (id: string, iterations: number) => ({ id, iterations, traced: true }) as unknown as MoaTurn

describe('turn with a lost trace line', () => {
  it('states the current reason and keeps stating it', () => {
    const lines = createTraceStatus()
    expect(lines.annotate(turn('a', 1), true)).toEqual(turn('a', 1))
    expect(lines.annotate(turn('a', 2), true)).toEqual(turn('a', 2))
    const lost = { traced: false, trace_problem: 'no space' }
    expect(lines.completeLine('a', 'no space')).toEqual({ ...turn('a', 2), ...lost })
    expect(lines.completeLine('a', null)).toBeUndefined()
    expect(lines.annotate(turn('a', 3), true)).toEqual({ ...turn('a', 3), ...lost })
    expect(lines.annotate(turn('a', 4), false)).toEqual({ ...turn('a', 4), ...lost })
  })

  it('does not affect other turns', () => {
    const lines = createTraceStatus()
    lines.annotate(turn('a', 1), true)
    lines.completeLine('a', 'no space')
    lines.annotate(turn('b', 1), true)
    expect(lines.completeLine('b', null)).toBeUndefined()
    expect(lines.annotate(turn('b', 2), false)).toEqual(turn('b', 2))
    expect(lines.completeLine('nobody', 'no space')).toBeUndefined()
  })

  it('is forgotten when there are too many', () => {
    const lines = createTraceStatus()
    for (let n = 0; n <= 1_000; n += 1) {
      lines.annotate(turn(`t${n}`, 1), true)
      lines.completeLine(`t${n}`, 'no space')
    }
    expect(lines.annotate(turn('t1000', 2), false).traced).toBe(false)
    expect(lines.annotate(turn('t0', 2), false).traced).toBe(true)
  })
})
