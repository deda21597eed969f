import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlainText, toPlainText } from './plain-text.ts'

const ESC = '\u001b'

const inPieces = (text: string, cuts: readonly number[]): string => {
  const reader = new PlainText()
  const places = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b)
  let from = 0
  let read = ''
  for (const to of places) {
    read += reader.take(text.slice(from, to))
    from = to
  }
  return read
}

describe('plain text without terminal sequences', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a title', `${ESC}]0;title\u0007text`, 'text'],
    ['a link', `${ESC}]8;;https://example.com${ESC}\\there${ESC}]8;;${ESC}\\`, 'there'],
    ['a character set', `${ESC}(Btext`, 'text'],
    ['sequences of one letter', '\u009b1mbold', 'bold'],
    ['a cursor that is moved', `one${ESC}[2K${ESC}[1Gtwo`, 'onetwo'],
    ['line ends of others', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['bells and backspaces', 'a\u0007b\bc', 'abc'],
    ['a sequence that never ends', `${ESC}]0;title\nnext line`, '\nnext line'],
    ['one that is broken off by another', `${ESC}[${ESC}[1mx`, 'x'],
    ['tabs and newlines, which stay', 'a\tb\n', 'a\tb\n'],
  ])('removes %s', (_what, given, left) => {
    expect(toPlainText(given)).toBe(left)
  })

  it('leaves everything else unchanged', () => {
    const text = 'Grüße, 你好, 👩‍👩‍👧, \u0627\u0644, [31m and ]0; are text'
    expect(toPlainText(text)).toBe(text)
  })

  it('gives the same result however the text is split, even within a character', () => {
    const part = fc.constantFrom(
      `${ESC}[1;31m`,
      `${ESC}]0;t\u0007`,
      '\r\n',
      '👩‍👧',
      'a',
      ' ',
      '\n',
      ESC,
      '\u009b',
    )
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat(), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join('')
        expect(inPieces(text, cuts)).toBe(toPlainText(text))
      }),
    )
  })

  it('leaves nothing that a terminal would interpret', () => {
    const letter = fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.string({ unit: letter }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
        expect(toPlainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('stays fast on an unterminated sequence and continues after it', () => {
    const reader = new PlainText()
    reader.take(`${ESC}]`)
    for (let at = 0; at < 1_000; at += 1) reader.take('x'.repeat(10))
    expect(reader.take('text')).toBe('text')
  })
})
