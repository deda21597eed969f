import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf } from './pieces.ts'

const texts = (text: string) => piecesOf(text).map((piece) => piece.text)

describe('piecesOf', () => {
  it('takes a text apart at blank lines and around blocks of code', () => {
    expect(piecesOf('One.\n\nTwo\nlines.\n```ts\nconst a = 1\n\nconst b = 2\n```\nThree.')).toEqual([
      { kind: 'prose', text: 'One.\n' },
      { kind: 'prose', text: 'Two\nlines.' },
      { kind: 'code', language: 'ts', text: 'const a = 1\n\nconst b = 2', isClosed: true },
      { kind: 'prose', text: 'Three.' },
    ])
  })

  it('keeps items of a list together, and what is indented with them', () => {
    expect(texts('- one\n\n- two\n\n  more of two\n\nAfter.')).toEqual([
      '- one\n\n- two\n\n  more of two\n',
      'After.',
    ])
  })

  it('takes a block of code that has not ended as code', () => {
    expect(piecesOf('So:\n```js\nlet x')).toEqual([
      { kind: 'prose', text: 'So:' },
      { kind: 'code', language: 'js', text: 'let x', isClosed: false },
    ])
  })

  it('ends a block only with as many marks of its own kind', () => {
    expect(piecesOf('````\n```\n~~~~\n````')).toEqual([
      { kind: 'code', language: '', text: '```\n~~~~', isClosed: true },
    ])
  })

  it('leaves all parts but the last as they are while a text grows', () => {
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
        const before = piecesOf(all.slice(0, cut).join('\n'))
        const after = piecesOf(all.join('\n'))
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

  it('takes a very long text apart in linear time', () => {
    const began = performance.now()
    piecesOf('- item of a list\n'.repeat(60_000))
    piecesOf('`'.repeat(1_000_000))
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
