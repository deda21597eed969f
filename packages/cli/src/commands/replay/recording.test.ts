import { describe, expect, it } from 'vitest'
import { pickEvenly } from './export-replay.ts'

describe('the frames of a recording', () => {
  it('are all kept if they fit, otherwise evenly sampled with both ends', () => {
    expect(pickEvenly([1, 2, 3], 3)).toEqual([1, 2, 3])
    const many = Array.from({ length: 1_001 }, (_, index) => index)
    const some = pickEvenly(many, 5)
    expect(some).toEqual([0, 250, 500, 750, 1_000])
  })
})
