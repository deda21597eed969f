import { describe, expect, it } from 'vitest'
import * as format from './format.ts'

describe('durations', () => {
  it.each([
    [84, '84 ms'],
    [3.6, '3.6 ms'],
    [999.6, '1 s'],
    [4_200, '4.2 s'],
    [41_000, '41 s'],
    [59_700, '1m 00s'],
    [192_000, '3m 12s'],
    [7_500_000, '2h 05m'],
    [273_600_000, '3d 4h'],
  ])('formats %d ms as %s', (ms, text) => expect(format.duration(ms)).toBe(text))
})

describe('money', () => {
  it.each([
    [0, '$0.00'],
    [1.84, '$1.84'],
    [0.011, '$0.011'],
    [0.004, '$0.004'],
    [0.0001, '<$0.001'],
    [1_234.4, '$1,234'],
  ])('formats %d dollars as %s', (usd, text) => expect(format.money(usd)).toBe(text))
})

describe('counts and sizes', () => {
  it('groups small counts and shortens large ones', () => {
    expect([3_604, 412_400, 999_900, 3_900_000].map(format.shortCount)).toEqual([
      '3,604',
      '412k',
      '1.0M',
      '3.9M',
    ])
  })

  it('formats sizes in the largest fitting unit', () => {
    expect([512, 90_112, 96_468_992, 1_503_238_553, 2 ** 31].map(format.bytes)).toEqual([
      '512 B',
      '88 KB',
      '92 MB',
      '1.4 GB',
      '2 GB',
    ])
  })

  it('keeps one decimal of a small rate', () => {
    expect([0, 0.3, 9.44, 5_012.2].map(format.rate)).toEqual(['0', '0.3', '9.4', '5,012'])
  })
})

describe('times', () => {
  it('formats a moment with its milliseconds', () => {
    const ts = new Date(2026, 10, 5, 14, 29, 58, 71).getTime()
    expect(format.fineClock(ts)).toBe('14:29:58.071')
    expect(format.moment(ts)).toBe('5 Nov 2026, 14:29:58.071')
  })

  it('formats an age below half a day and returns null above it', () => {
    expect([11 * 3_600_000, 12 * 3_600_000].map(format.age)).toEqual(['11 h', null])
    expect([0, 4_000, 130_000, 1_500_000, 7_200_000, 86_400_000].map(format.age)).toEqual([
      '0 s',
      '4 s',
      '2m 10s',
      '25 min',
      '2 h',
      null,
    ])
  })

  it('counts calendar days, not spans of 24 hours', () => {
    const evening = new Date(2026, 10, 5, 23, 59).getTime()
    const morning = new Date(2026, 10, 6, 0, 1).getTime()
    expect(format.daysBetween(evening, morning)).toBe(1)
  })

  it('adds the year only if it is not the current one', () => {
    const now = new Date(2026, 10, 15).getTime()
    expect(format.day(new Date(2026, 10, 5).getTime(), now)).toBe('5 Nov')
    expect(format.day(new Date(2025, 10, 5).getTime(), now)).toBe('5 Nov 2025')
  })
})
