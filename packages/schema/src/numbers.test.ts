import { describe, expect, it } from 'vitest'
import { clamp, plural, sum } from './numbers.ts'

describe('sum', () => {
  it('adds up the values', () => {
    expect(sum([1, 2.5, -1])).toBe(2.5)
  })

  it('is 0 for an empty list', () => {
    expect(sum([])).toBe(0)
  })
})

describe('clamp', () => {
  it.each([
    [-1, 0],
    [0, 0],
    [3, 3],
    [9, 5],
    [Number.POSITIVE_INFINITY, 5],
  ])('moves %d to %d in a range from 0 to 5', (value, expected) => {
    expect(clamp(value, 0, 5)).toBe(expected)
  })

  it('returns the upper bound where the range is empty', () => {
    expect(clamp(2, 0, -1)).toBe(-1)
  })

  it('keeps NaN', () => {
    expect(clamp(Number.NaN, 0, 5)).toBeNaN()
  })
})

describe('plural', () => {
  it('writes a count with the singular or the plural of its noun', () => {
    expect([0, 1, 1_200].map((n) => plural(n, 'session'))).toEqual([
      '0 sessions',
      '1 session',
      '1,200 sessions',
    ])
    expect(plural(2, 'reply', 'replies')).toBe('2 replies')
  })
})
