import { expect, it } from 'vitest'
import { csvText } from './display.ts'

it.each(['=1+1', '+1', '-x', '@SUM(A1)', ' =1', '\u00a0=1', '\t=1', '＝1', '＋1', '－1', '＠SUM'])(
  'prevents a spreadsheet from running %j',
  (text) => {
    expect(csvText(text)).toBe(`'${text}`)
  },
)

it('prevents a spreadsheet from running text after a line end', () => {
  expect(csvText('\n=1')).toBe(`"'\n=1"`)
})

it('leaves other text unchanged', () => {
  for (const text of ['', 'a=1', '1-2', '·', 'a b']) expect(csvText(text)).toBe(text)
})

it('quotes whatever would break a row and names invisible characters', () => {
  expect(csvText('say "it", \u202ethen')).toBe('"say ""it"", ‹U+202E›then"')
})
