import { describe, expect, it } from 'vitest'
import { toVisible, toVisibleLine } from './display.ts'

describe('visible text', () => {
  it('shows control and direction-changing characters by their code point', () => {
    expect(toVisible('\u001b[2Ja\u0007\u007f')).toBe('‹U+001B›[2Ja‹U+0007›‹U+007F›')
    expect(toVisible('\u202etxt.exe\u2069\u009b')).toBe('‹U+202E›txt.exe‹U+2069›‹U+009B›')
  })

  it('keeps lines, tabs, all scripts and joined emoji', () => {
    const text = 'a\tb\nc שלום 日本 👩‍💻'
    expect(toVisible(text)).toBe(text)
    expect(toVisible('a\r\nb')).toBe('a\nb')
  })

  it('is cut to one short line in a list', () => {
    expect(toVisibleLine('  a\n b\u202e ', 40)).toBe('a b‹U+202E›')
    expect(toVisibleLine('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
  })
})
