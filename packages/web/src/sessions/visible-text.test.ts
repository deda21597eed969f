import { nothingSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { costNote, costText } from './cost.ts'
import { oneLine, seen } from './visible-text.ts'

describe('visible text', () => {
  it('shows control and direction-changing characters by their code point', () => {
    expect(seen('\u001b[2Ja\u0007\u007f')).toBe('‹U+001B›[2Ja‹U+0007›‹U+007F›')
    expect(seen('\u202etxt.exe\u2069\u009b')).toBe('‹U+202E›txt.exe‹U+2069›‹U+009B›')
  })

  it('keeps lines, tabs, all scripts and joined emoji', () => {
    const text = 'a\tb\nc שלום 日本 👩‍💻'
    expect(seen(text)).toBe(text)
    expect(seen('a\r\nb')).toBe('a\nb')
  })

  it('is cut to one short line in a list', () => {
    expect(oneLine('  a\n b\u202e ', 40)).toBe('a b‹U+202E›')
    expect(oneLine('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
  })
})

describe('the cost of a session', () => {
  const spent = { ...nothingSpent(), cost_micro_usd: 1_840_000 }

  it('shows the known part and a dash when nothing is known', () => {
    expect(costText(spent)).toBe('$1.84')
    expect(costText({ ...spent, cost_unknown: 2, usage_unknown: 1 })).toBe('$1.84 + 3 unknown')
    expect(costText({ ...spent, cost_micro_usd: 0, cost_unknown: 2 })).toBe('–')
    expect(costText({ ...spent, cost_micro_usd: 0 })).toBe('$0.00')
  })

  it('names the unpriced replies', () => {
    expect(costNote(spent)).toBeUndefined()
    expect(costNote({ ...spent, cost_unknown: 1 })).toBe('1 reply unpriced')
    expect(costNote({ ...spent, cost_micro_usd: 0, usage_unknown: 1 })).toBe('Unpriced')
  })
})
