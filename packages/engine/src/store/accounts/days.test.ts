import { describe, expect, it } from 'vitest'
import { ALL_DAYS, DAY_MS, daysOfRow, daysOfSpan, firstDayFrom, localDay } from './days.ts'

describe('accounting days', () => {
  it('begin at midnight, and the first day of a span begins at or after its start', () => {
    const midnight = new Date(2026, 8, 15).getTime()
    expect(firstDayFrom(midnight)).toBe('2026-09-15')
    expect(firstDayFrom(midnight + 1)).toBe('2026-09-16')
    expect(firstDayFrom(midnight - 1)).toBe('2026-09-15')
    expect(localDay(midnight - 1)).toBe('2026-09-14')
    expect(localDay(new Date(2026, 0, 5, 12).getTime())).toBe('2026-01-05')
  })

  it('cover a span by whole blocks and the days at its ends, each row once', () => {
    const isIn = (at: number, first: number, end: number) =>
      daysOfRow(at * DAY_MS).filter(
        (day) => day !== ALL_DAYS && daysOfSpan(first, end).some(([from, to]) => day >= from && day < to),
      ).length
    for (const [first, end] of [
      [0, 32],
      [1, 31],
      [5, 100],
      [32, 96],
      [40, 41],
    ] as const)
      for (let day = 0; day < 130; day += 1)
        expect(isIn(day, first, end), `${day} in ${first} to ${end}`).toBe(day >= first && day < end ? 1 : 0)
    expect(daysOfRow(null)).toEqual([ALL_DAYS])
  })
})
