import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Difference, newcombe, tOf, welch } from './measures.ts'

const holds = ({ difference, low, high, ...means }: Difference) => {
  for (const value of [difference, low, high, means.with, means.without])
    expect(Number.isFinite(value)).toBe(true)
  expect(low).toBeLessThanOrEqual(difference)
  expect(high).toBeGreaterThanOrEqual(difference)
}
const mirrored = (one: Difference, other: Difference) => {
  expect(one.difference).toBeCloseTo(-other.difference, 9)
  expect(one.low).toBeCloseTo(-other.high, 9)
  expect(one.high).toBeCloseTo(-other.low, 9)
}
const width = ({ low, high }: Difference) => high - low

describe("Student's t quantile", () => {
  it.each([
    [9, 2.262157],
    [10, 2.228139],
    [12, 2.178813],
    [20, 2.085963],
    [30, 2.042272],
    [120, 1.97993],
    [Number.POSITIVE_INFINITY, 1.959964],
  ])('matches the tables for %d degrees of freedom', (free, bound) => {
    expect(tOf(free)).toBeCloseTo(bound, 4)
  })

  it('is close to the tables for very few degrees of freedom', () => {
    expect(tOf(3)).toBeCloseTo(3.1824, 1)
    expect(tOf(2)).toBeCloseTo(4.3027, 0)
    expect(tOf(1)).toBeGreaterThan(11)
  })
})

describe('difference of two means', () => {
  const sample = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 40 })

  it('has the known interval of the classic sleep data', () => {
    const one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
    const other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    const found = welch(one, other)
    expect(found.with).toBeCloseTo(0.75, 9)
    expect(found.without).toBeCloseTo(2.33, 9)
    expect(found.low).toBeCloseTo(-3.3654832, 4)
    expect(found.high).toBeCloseTo(0.2054832, 4)
  })

  it('lies in its interval and is mirrored if the groups are swapped', () => {
    fc.assert(
      fc.property(sample, sample, (one, other) => {
        holds(welch(one, other))
        mirrored(welch(one, other), welch(other, one))
      }),
    )
  })

  it('has a narrower interval for more data', () => {
    fc.assert(
      fc.property(sample, sample, (one, other) => {
        const more = welch([...one, ...one, ...one], [...other, ...other, ...other])
        expect(width(more)).toBeLessThanOrEqual(width(welch(one, other)) + 1e-6)
      }),
    )
  })

  it('is exact without variance, whatever the values', () => {
    const same = (value: number, count: number) => Array.from({ length: count }, () => value)
    for (const value of [0, 0.1, 1 / 3, 1e-200, 7])
      expect(welch(same(value, 10), same(value, 11))).toMatchObject({ difference: 0, low: 0, high: 0 })
    expect(welch(same(3, 10), same(5, 10))).toMatchObject({ difference: -2, low: -2, high: -2 })
    holds(welch(same(0, 10), [...same(0, 9), 1e-180]))
    holds(welch([1], [2]))
  })
})

describe('difference of two shares', () => {
  const share = fc
    .tuple(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([count, part]) => ({ hits: Math.round(count * part), count }))

  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
  ])('has the published interval for %d of %d and %d of %d', (a, m, b, n, low, high) => {
    const found = newcombe({ hits: a, count: m }, { hits: b, count: n })
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  it('lies in its interval within -1 and 1 and is mirrored if the groups are swapped', () => {
    fc.assert(
      fc.property(share, share, (one, other) => {
        const found = newcombe(one, other)
        holds(found)
        mirrored(found, newcombe(other, one))
        expect(found.low).toBeGreaterThanOrEqual(-1 - 1e-9)
        expect(found.high).toBeLessThanOrEqual(1 + 1e-9)
      }),
    )
  })

  it('has a narrower interval for more data', () => {
    const thrice = ({ hits, count }: { hits: number; count: number }) => ({
      hits: 3 * hits,
      count: 3 * count,
    })
    fc.assert(
      fc.property(share, share, (one, other) => {
        expect(width(newcombe(thrice(one), thrice(other)))).toBeLessThan(width(newcombe(one, other)))
      }),
    )
  })
})
