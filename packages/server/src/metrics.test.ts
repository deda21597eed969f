import { describe, expect, it } from 'vitest'
import { createHistogram } from './metrics.ts'

describe('createHistogram', () => {
  it('counts a value in every bucket whose bound is not below it', () => {
    const histogram = createHistogram([1, 2])
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value)
    expect(histogram.lines('x')).toEqual([
      'x_bucket{le="1"} 2',
      'x_bucket{le="2"} 3',
      'x_bucket{le="+Inf"} 4',
      'x_sum 12',
      'x_count 4',
    ])
  })
})
