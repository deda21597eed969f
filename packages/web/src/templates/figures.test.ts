import { describe, expect, it } from 'vitest'
import { differenceText, intervalText, points, reachOf, readingGlyph, valueText } from './figures.ts'
import { listed, measure, unknown } from './templates.test-kit.ts'

describe('the figures of an effect', () => {
  it('are shares and points of tool errors and outcomes', () => {
    const errors = measure()
    expect([valueText(errors, 'with'), valueText(errors, 'without')]).toEqual(['8 %', '19 %'])
    expect([differenceText(errors), intervalText(errors)]).toEqual(['−11 pts', '−19 … −3'])
    const outcome = measure({ name: 'outcome', difference: 0.13, low: -0.08, high: 0.33 })
    expect([differenceText(outcome), intervalText(outcome)]).toEqual(['+13 pts', '−8 … +33'])
  })

  it('are turns as they are, and a change in tokens', () => {
    const turns = measure({ name: 'turns', with: 22.25, without: 25, difference: -2.75, low: -8, high: 2.4 })
    expect([valueText(turns, 'with'), valueText(turns, 'without')]).toEqual(['22.3', '25'])
    expect([differenceText(turns), intervalText(turns)]).toEqual(['−3', '−8 … +2'])
    const tokens = measure({ name: 'tokens', with: 1_900_000, difference: -0.05, low: -0.21, high: 0.12 })
    expect(valueText(tokens, 'with')).toBe('1.9M')
    expect([differenceText(tokens), intervalText(tokens)]).toEqual(['−5 %', '−21 … +12 %'])
  })

  it('are a dash where they are not known, and never none', () => {
    const none = measure({ ...unknown, reading: 'too_few' })
    expect([valueText(none, 'with'), differenceText(none), intervalText(none)]).toEqual(['–', '–', '–'])
  })

  it('keep a small difference apart from none', () => {
    expect([0, 0.004, -0.004, 0.0001, -0.019].map(points)).toEqual([
      '0 pts',
      '+0.4 pts',
      '−0.4 pts',
      '0 pts',
      '−2 pts',
    ])
  })

  it('are for the better when there are fewer, but of what finished well when there are more', () => {
    expect(readingGlyph(measure())).toBe('done')
    expect(readingGlyph(measure({ reading: 'more' }))).toBe('failed')
    expect(readingGlyph(measure({ name: 'outcome', reading: 'more' }))).toBe('done')
    expect(readingGlyph(measure({ name: 'tokens', reading: 'more' }))).toBe('failed')
    expect(readingGlyph(measure({ reading: 'unclear' }))).toBe('unknown')
  })
})

describe('the reach of the bars', () => {
  it('holds every interval of the table, and is one for all of them', () => {
    expect(reachOf([listed(), listed(measure({ low: -0.24, high: 0.06 }))])).toBe(0.3)
    expect(reachOf([listed(measure({ low: -0.9, high: 0.95 }))])).toBe(1)
  })

  it('is small where nothing is known', () => {
    expect(reachOf([listed(measure(unknown))])).toBe(0.05)
    expect(reachOf([])).toBe(0.05)
  })
})
