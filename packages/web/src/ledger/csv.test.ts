import { expect, it } from 'vitest'
import { toCsv } from './csv.ts'

it('quotes commas, quotes and line breaks and leaves unknown cells empty', () => {
  expect(
    toCsv(
      ['a', 'b'],
      [
        ['x,"y"\nz', null],
        ['plain', 1.5],
      ],
    ),
  ).toBe('a,b\r\n"x,""y""\nz",\r\nplain,1.5\r\n')
})

it('escapes text that a spreadsheet would run as a formula, but not numbers', () => {
  expect(toCsv(['a'], [['=1+1'], ['-3'], ['@x'], [-3]])).toBe("a\r\n'=1+1\r\n'-3\r\n'@x\r\n-3\r\n")
})

it('shows invisible and direction-changing characters by their code point', () => {
  expect(toCsv(['a'], [['\u202etxt\u009b\u061c']])).toBe('a\r\n‹U+202E›txt‹U+009B›‹U+061C›\r\n')
})
