import { nothingSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { costNote, costText } from './cost.ts'
import { oneLine, seen } from './plain.ts'

describe('what an agent wrote', () => {
  it('shows what could not be seen, and cannot turn the writing round', () => {
    expect(seen('\u001b[2Ja\u0007\u007f')).toBe('‹U+001B›[2Ja‹U+0007›‹U+007F›')
    expect(seen('\u202etxt.exe\u2069\u009b')).toBe('‹U+202E›txt.exe‹U+2069›‹U+009B›')
  })

  it('keeps lines, tabs, letters of every script and joined signs', () => {
    const text = 'a\tb\nc שלום 日本 👩‍💻'
    expect(seen(text)).toBe(text)
    expect(seen('a\r\nb')).toBe('a\nb')
  })

  it('is one line in a list, however long', () => {
    expect(oneLine('  a\n b\u202e ', 40)).toBe('a b‹U+202E›')
    expect(oneLine('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
  })
})

describe('what a session cost', () => {
  const spent = { ...nothingSpent(), cost_micro_usd: 1_840_000 }

  it('is said as far as it is known', () => {
    expect(costText(spent)).toBe('$1.84')
    expect(costText({ ...spent, cost_unknown: 2, usage_unknown: 1 })).toBe('$1.84 + 3 unknown')
    expect(costText({ ...spent, cost_micro_usd: 0, cost_unknown: 2 })).toBe('–')
    expect(costText({ ...spent, cost_micro_usd: 0 })).toBe('$0.00')
  })

  it('says what it lacks', () => {
    expect(costNote(spent)).toBeUndefined()
    expect(costNote({ ...spent, cost_unknown: 1 })).toBe('Of 1 reply it is not known what they cost')
    expect(costNote({ ...spent, cost_micro_usd: 0, usage_unknown: 1 })).toBe('What it cost is not known')
  })
})
