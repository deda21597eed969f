import { describe, expect, it } from 'vitest'
import {
  chartReach,
  differenceText,
  formatCreationDay,
  formatPoints,
  intervalText,
  readingGlyph,
  valueText,
} from './format.ts'
import { listed, measure, unknown } from './templates.test-kit.ts'

describe('the numbers of a template effect', () => {
  it('are percentages and points for tool errors and outcomes', () => {
    const errors = measure()
    expect([valueText(errors, 'with'), valueText(errors, 'without')]).toEqual(['8 %', '19 %'])
    expect([differenceText(errors), intervalText(errors)]).toEqual(['−11 pts', '−19 … −3'])
    const outcome = measure({ name: 'outcome', difference: 0.13, low: -0.08, high: 0.33 })
    expect([differenceText(outcome), intervalText(outcome)]).toEqual(['+13 pts', '−8 … +33'])
  })

  it('are plain counts for turns and a percentage change for tokens', () => {
    const turns = measure({ name: 'turns', with: 22.25, without: 25, difference: -2.75, low: -8, high: 2.4 })
    expect([valueText(turns, 'with'), valueText(turns, 'without')]).toEqual(['22.3', '25'])
    expect([differenceText(turns), intervalText(turns)]).toEqual(['−3', '−8 … +2'])
    const tokens = measure({ name: 'tokens', with: 1_900_000, difference: -0.05, low: -0.21, high: 0.12 })
    expect(valueText(tokens, 'with')).toBe('1.9M')
    expect([differenceText(tokens), intervalText(tokens)]).toEqual(['−5 %', '−21 … +12 %'])
  })

  it('are a dash when unknown, never zero', () => {
    const none = measure({ ...unknown, reading: 'too_few' })
    expect([valueText(none, 'with'), differenceText(none), intervalText(none)]).toEqual(['–', '–', '–'])
  })

  it('show a small difference with one decimal instead of zero', () => {
    expect([0, 0.004, -0.004, 0.0001, -0.019].map(formatPoints)).toEqual([
      '0 pts',
      '+0.4 pts',
      '−0.4 pts',
      '0 pts',
      '−2 pts',
    ])
  })

  it('are good when errors, turns or tokens drop and when outcomes rise', () => {
    expect(readingGlyph(measure())).toBe('done')
    expect(readingGlyph(measure({ reading: 'more' }))).toBe('failed')
    expect(readingGlyph(measure({ name: 'outcome', reading: 'more' }))).toBe('done')
    expect(readingGlyph(measure({ name: 'tokens', reading: 'more' }))).toBe('failed')
    expect(readingGlyph(measure({ reading: 'unclear' }))).toBe('unknown')
  })
})

describe('the reach of the interval bars', () => {
  it('covers every interval of the table with one scale', () => {
    expect(chartReach([listed(), listed(measure({ low: -0.24, high: 0.06 }))])).toBe(0.3)
    expect(chartReach([listed(measure({ low: -0.9, high: 0.95 }))])).toBe(1)
  })

  it('is small when nothing is known', () => {
    expect(chartReach([listed(measure(unknown))])).toBe(0.05)
    expect(chartReach([])).toBe(0.05)
  })
})

describe('the creation day of a template', () => {
  const NOW = Date.UTC(2026, 10, 16, 12)

  it('includes the year only if it is not the current one', () => {
    expect(formatCreationDay(Date.UTC(2026, 8, 12, 12) / 1_000, NOW)).toBe('12 Sept')
    expect(formatCreationDay(Date.UTC(2025, 8, 12, 12) / 1_000, NOW)).toBe('12 Sept 2025')
  })

  it('is unknown for an invalid date', () => {
    const odd = [0, -1, Number.NaN, 8_640_000_000_001, 99_999_999_999_999, 1e300, Number.POSITIVE_INFINITY]
    for (const seconds of odd) expect(formatCreationDay(seconds, NOW)).toBe('date unknown')
  })
})
