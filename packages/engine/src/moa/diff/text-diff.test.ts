import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffText } from './turn-diff.ts'

const side = (a: string, b: string, without: 'added' | 'removed') =>
  diffText(a, b)
    .filter(({ type }) => type !== without)
    .map(({ text }) => text)
    .join('')

const word = fc.constantFrom('a', 'bb', ' ', '\n', '.', 'naïve', '漢', '😀')
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(''))

describe('text diff', () => {
  it('reproduces both texts from its pieces', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), text, (a, b) => {
        expect(side(a, b, 'added')).toBe(a)
        expect(side(a, b, 'removed')).toBe(b)
      }),
    )
  })

  it('compares by words and never has two adjacent pieces of one kind', () => {
    expect(diffText('keep the old name', 'keep the new name')).toEqual([
      { type: 'same', text: 'keep the ' },
      { type: 'removed', text: 'old' },
      { type: 'added', text: 'new' },
      { type: 'same', text: ' name' },
    ])
    fc.assert(
      fc.property(text, text, (a, b) => {
        const kinds = diffText(a, b).map(({ type }) => type)
        expect(kinds.some((kind, at) => kind === kinds[at + 1])).toBe(false)
      }),
    )
  })

  it('returns the text itself for equal texts and nothing for empty texts', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(diffText(a, a)).toEqual(a === '' ? [] : [{ type: 'same', text: a }])
      }),
    )
  })

  it('stays fast for texts that share nothing or are very long', () => {
    const began = performance.now()
    const [a, b] = ['a b '.repeat(200_000), 'c d '.repeat(200_000)]
    expect(side(a, b, 'added')).toBe(a)
    const [c, d] = [
      Array.from({ length: 4_000 }, (_, n) => `x${n}`).join(' '),
      Array.from({ length: 4_000 }, (_, n) => `y${n}`).join('\n'),
    ]
    expect(side(c, d, 'removed')).toBe(d)
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})
