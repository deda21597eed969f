import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPieces } from './markdown.tsx'

const texts = (text: string) => splitPieces(text).map((piece) => piece.text)

describe('splitPieces', () => {
  it('splits text at blank lines and around code blocks', () => {
    expect(splitPieces('One.\n\nTwo\nlines.\n```ts\nconst a = 1\n\nconst b = 2\n```\nThree.')).toEqual([
      { kind: 'prose', text: 'One.\n' },
      { kind: 'prose', text: 'Two\nlines.' },
      { kind: 'code', language: 'ts', text: 'const a = 1\n\nconst b = 2', isClosed: true },
      { kind: 'prose', text: 'Three.' },
    ])
  })

  it('keeps list items and their indented lines together', () => {
    expect(texts('- one\n\n- two\n\n  more of two\n\nAfter.')).toEqual([
      '- one\n\n- two\n\n  more of two\n',
      'After.',
    ])
  })

  it('treats an unclosed code block as code', () => {
    expect(splitPieces('So:\n```js\nlet x')).toEqual([
      { kind: 'prose', text: 'So:' },
      { kind: 'code', language: 'js', text: 'let x', isClosed: false },
    ])
  })

  it('closes a code block only with a matching fence', () => {
    expect(splitPieces('````\n```\n~~~~\n````')).toEqual([
      { kind: 'code', language: '', text: '```\n~~~~', isClosed: true },
    ])
  })

  it('changes only the last piece while a text grows', () => {
    const lines = fc.constantFrom(
      '',
      '- a',
      '1. b',
      '```',
      '~~~',
      '> c',
      '  d',
      'word',
      '| a |',
      '    e',
      '# f',
    )
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 40 }), fc.nat(40), (all, cut) => {
        const before = splitPieces(all.slice(0, cut).join('\n'))
        const after = splitPieces(all.join('\n'))
        const settled = before.slice(0, -1)
        expect(after.slice(0, settled.length)).toEqual(settled)
      }),
    )
  })

  it('loses no words', () => {
    const words = (text: string) => text.replace(/[\s`~]/g, '')
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', '- a', '~~~', '# b', 'c d', '  e'), { maxLength: 30 }),
        (lines) => {
          const text = lines.join('\n')
          expect(words(texts(text).join('\n'))).toBe(words(text))
        },
      ),
    )
  })

  it('splits a very long text in linear time', () => {
    const began = performance.now()
    splitPieces('- item of a list\n'.repeat(60_000))
    splitPieces('`'.repeat(1_000_000))
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
