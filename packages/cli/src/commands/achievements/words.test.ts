import { expect, it } from 'vitest'
import { dateText } from './words.ts'

it('names the day of a moment, and that of no moment as unknown', () => {
  expect(dateText(1_767_225_600)).toBe('2026-01-01')
  for (const odd of [null, undefined, 0, 1e14, -1e14, Number.NaN, Number.POSITIVE_INFINITY])
    expect(dateText(odd)).toBe('at an unknown time')
})
