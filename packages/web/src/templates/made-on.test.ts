import { expect, it } from 'vitest'
import { madeOn } from './made-on.ts'

const NOW = Date.UTC(2026, 10, 16, 12)

it('is the day, with the year where it is another one', () => {
  expect(madeOn(Date.UTC(2026, 8, 12, 12) / 1_000, NOW)).toBe('12 Sept')
  expect(madeOn(Date.UTC(2025, 8, 12, 12) / 1_000, NOW)).toBe('12 Sept 2025')
})

it('is unknown for what is no date, however large', () => {
  const odd = [0, -1, Number.NaN, 8_640_000_000_001, 99_999_999_999_999, 1e300, Number.POSITIVE_INFINITY]
  for (const seconds of odd) expect(madeOn(seconds, NOW)).toBe('date unknown')
})
