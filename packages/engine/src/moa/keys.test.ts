import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskKeys } from './privacy.ts'

describe('maskKeys', () => {
  it('removes every provider key, wherever the text was cut', () => {
    const key = fc.stringMatching(/^[a-z0-9/+=_.$-]{8,40}$/)
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), fc.nat(), fc.lorem(), (keys, cut, words) => {
        const text = keys.map((each) => `${words} ${each}`).join(' ')
        const shown = maskKeys(text.slice(0, cut % (text.length + 1)), keys)
        for (const each of keys) expect(shown).not.toContain(each)
        // At most a few characters of a truncated key remain.
        for (const each of keys) expect(shown.endsWith(each.slice(0, 8))).toBe(false)
      }),
    )
  })

  it('leaves no rest of a key that shares a prefix with another', () => {
    expect(maskKeys('x long-key-and-more y', ['long-key', 'long-key-and-more'])).toBe('x [redacted] y')
  })

  it('keeps ordinary words when a key is a word', () => {
    expect(maskKeys('the ollama here', ['ollama', ''])).toBe('the ollama here')
  })

  it('stays fast', () => {
    const began = performance.now()
    maskKeys('a'.repeat(1_000_000), ['a'.repeat(100_000).concat('b'), 'c'.repeat(1_000)])
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
