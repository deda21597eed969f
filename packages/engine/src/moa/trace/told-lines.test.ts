import type { MoaTurn } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { toldLines } from './told-lines.ts'

const turn = (id: string, iterations: number) => ({ id, iterations, traced: true }) as unknown as MoaTurn

describe('a turn of which a line was lost', () => {
  it('says why, as it is by then, and goes on to say so', () => {
    const lines = toldLines()
    expect(lines.kept(turn('a', 1), true)).toEqual(turn('a', 1))
    expect(lines.kept(turn('a', 2), true)).toEqual(turn('a', 2))
    const lost = { traced: false, trace_problem: 'no space' }
    expect(lines.ended('a', 'no space')).toEqual({ ...turn('a', 2), ...lost })
    expect(lines.ended('a', null)).toBeUndefined()
    expect(lines.kept(turn('a', 3), true)).toEqual({ ...turn('a', 3), ...lost })
    expect(lines.kept(turn('a', 4), false)).toEqual({ ...turn('a', 4), ...lost })
  })

  it('has nothing to do with others', () => {
    const lines = toldLines()
    lines.kept(turn('a', 1), true)
    lines.ended('a', 'no space')
    lines.kept(turn('b', 1), true)
    expect(lines.ended('b', null)).toBeUndefined()
    expect(lines.kept(turn('b', 2), false)).toEqual(turn('b', 2))
    expect(lines.ended('nobody', 'no space')).toBeUndefined()
  })

  it('is forgotten when there are too many', () => {
    const lines = toldLines()
    for (let n = 0; n <= 1_000; n += 1) {
      lines.kept(turn(`t${n}`, 1), true)
      lines.ended(`t${n}`, 'no space')
    }
    expect(lines.kept(turn('t1000', 2), false).traced).toBe(false)
    expect(lines.kept(turn('t0', 2), false).traced).toBe(true)
  })
})
