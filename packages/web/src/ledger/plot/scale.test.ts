import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logScale, TENS, TIMES, ticksUpTo } from './scale.ts'

describe('ticks from zero', () => {
  it('are round values up to the maximum', () => {
    expect(ticksUpTo(17.3, 3)).toEqual([0, 10, 20])
    expect(ticksUpTo(0.31, 3)).toEqual([0, 0.2, 0.4])
    expect(ticksUpTo(25, 3)).toEqual([0, 10, 20, 30])
  })

  it('are only zero without a positive finite maximum', () => {
    for (const most of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(ticksUpTo(most, 3)).toEqual([0])
  })

  it('are at most five and reach any maximum', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (most) => {
        const ticks = ticksUpTo(most, 3)
        expect(ticks.length).toBeLessThanOrEqual(5)
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-8))
      }),
    )
  })
})

describe('a logarithmic scale', () => {
  it('spans round values around the given ones', () => {
    const scale = logScale([70_000, 1_900_000], TIMES)
    expect(scale).toMatchObject({ low: 60_000, high: 3_600_000, ticks: [60_000, 600_000, 3_600_000] })
    expect(logScale([10, 100], TENS)).toMatchObject({ low: 10, high: 100 })
    expect(scale?.at(60_000)).toBe(0)
    expect(scale?.at(3_600_000)).toBe(1)
  })

  it('has a width even for a single value, and is null without a positive value', () => {
    expect(logScale([100], TENS)).toMatchObject({ low: 100, high: 1_000 })
    expect(logScale([0, -3, Number.NaN], TENS)).toBeNull()
  })

  it('keeps all values within its ends and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-6, max: 1e18, noNaN: true }), { minLength: 2 }), (values) => {
        const scale = logScale(values, TIMES)
        const at = values.toSorted((a, b) => a - b).map((value) => scale?.at(value) ?? -1)
        expect(Math.min(...at)).toBeGreaterThanOrEqual(0)
        expect(Math.max(...at)).toBeLessThanOrEqual(1)
        expect(at).toEqual(at.toSorted((a, b) => a - b))
        expect(scale?.ticks.length).toBeLessThanOrEqual(5)
      }),
    )
  })
})
