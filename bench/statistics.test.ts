import { describe, expect, it } from 'vitest'
import { interleaved, median, quantile, round } from './statistics.ts'

describe('statistics', () => {
  it('compute the median and the tail of a list in any order', () => {
    const list = [9, 1, 5, 3, 7]
    expect(median(list)).toBe(5)
    expect(quantile(list, 0.95)).toBe(9)
    expect(quantile([4], 0.5)).toBe(4)
    expect(median([])).toBeNaN()
  })

  it('round to three significant digits', () => {
    expect([123_456, 0.001_234_5, 0, 99.95].map(round)).toEqual([123_000, 0.001_23, 0, 100])
  })

  it('run variants in turn and return the median of each', async () => {
    const order: string[] = []
    const variant = (name: string, times: number[]) => () => {
      order.push(name)
      return times.shift() ?? 0
    }
    expect(await interleaved(3, { a: variant('a', [1, 9, 2]), b: variant('b', [5, 5, 6]) })).toEqual({
      a: 2,
      b: 5,
    })
    expect(order.join('')).toBe('abbaab')
  })
})
