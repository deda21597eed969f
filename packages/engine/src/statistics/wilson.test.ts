import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wilson } from './index.ts'

describe('Wilson score interval', () => {
  it.each([
    [81, 263, 0.308, 0.2553, 0.3662],
    [15, 148, 0.1014, 0.0624, 0.1605],
    [0, 20, 0, 0, 0.1611],
    [1, 29, 0.0345, 0.0061, 0.1718],
    [10, 10, 1, 0.72247, 1],
    [0, 10, 0, 0, 0.27753],
    [1, 1, 1, 0.20655, 1],
    [5, 10, 0.5, 0.23659, 0.76341],
  ])('of %d out of %d matches published tables', (hits, count, share, low, high) => {
    const found = wilson({ hits, count })
    expect(found.share).toBeCloseTo(share, 4)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  it('lies within 0 and 1 around the share and narrows with more cases', () => {
    const cases = fc
      .integer({ min: 1, max: 1_000_000 })
      .chain((count) => fc.record({ count: fc.constant(count), hits: fc.integer({ min: 0, max: count }) }))
    fc.assert(
      fc.property(cases, ({ hits, count }) => {
        const { share, low, high } = wilson({ hits, count })
        expect(0 <= low && low <= share && share <= high && high <= 1).toBe(true)
        const more = wilson({ hits: hits * 4, count: count * 4 })
        expect(more.high - more.low).toBeLessThan(high - low)
      }),
    )
  })

  it('is symmetric for hits and misses', () => {
    const [one, other] = [wilson({ hits: 3, count: 17 }), wilson({ hits: 14, count: 17 })]
    expect(one.low).toBeCloseTo(1 - other.high, 12)
    expect(one.high).toBeCloseTo(1 - other.low, 12)
  })
})
