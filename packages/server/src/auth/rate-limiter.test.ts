import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateLimiter } from './rate-limiter.ts'

describe('createBuckets', () => {
  const lab = (perSecond: number, burst: number) => {
    let at = 0
    const buckets = createRateLimiter({ perSecond, burst }, () => at)
    return { ...buckets, pass: (ms: number) => (at += ms) }
  }

  it('grants a burst, then requests at the configured rate', () => {
    const { take, pass } = lab(2, 3)
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1])
    pass(500)
    expect([take('a'), take('a')]).toEqual([0, 1])
    pass(60_000)
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1])
  })

  it('says how long to wait', () => {
    const { take, pass } = lab(0.1, 1)
    expect([take('a'), take('a')]).toEqual([0, 10])
    pass(9_999)
    expect(take('a')).toBe(1)
    pass(1)
    expect(take('a')).toBe(0)
  })

  it('counts each key separately, and does not count a look', () => {
    const { take, peek: look } = lab(1, 1)
    expect([look('a'), look('a'), take('a'), take('a'), take('b')]).toEqual([0, 0, 0, 1, 0])
  })

  it('never grants more than the rate, however requests are spaced', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (gaps) => {
        const { take, pass } = lab(5, 10)
        let given = 0
        let elapsed = 0
        for (const gap of gaps) {
          pass(gap)
          elapsed += gap
          if (take('a') === 0) given += 1
          expect(given).toBeLessThanOrEqual(10 + (elapsed / 1_000) * 5)
        }
      }),
    )
  })

  it('keeps a bounded number of keys', () => {
    const { take } = lab(1, 1)
    take('first')
    for (let each = 0; each < 20_000; each += 1) take(`a${each}`)
    expect(take('first')).toBe(0)
  })
})
