import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'

it('quotes what would break a row, and leaves empty what is unknown', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['x,"y"\nz', null],
        ['plain', 1.5],
      ],
    ),
  ).toBe('a,b\r\n"x,""y""\nz",\r\nplain,1.5\r\n')
})

it('keeps what agents wrote from being taken for a formula, and numbers as they are', () => {
  expect(csvOf(['a'], [['=1+1'], ['-3'], ['@x'], [-3]])).toBe("a\r\n'=1+1\r\n'-3\r\n'@x\r\n-3\r\n")
})
