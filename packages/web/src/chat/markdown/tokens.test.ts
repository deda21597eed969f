import { expect, it } from 'vitest'
import { tokensOf } from './tokens.ts'

const HOSTILE = [
  ...['> ', '>', '*a **b ', '[', '[a](', '_a __b ', '`` ` ', '- ', '<a ', '![', '~~a ', '[a](b"', '[x]: y\n'],
  ...['<!--', '*\n', '|', '|a\n|-\n', '&', '\\[', '***', 'http://a.', 'a@b.', '*a_', '**_[`~~', '!', '1. '],
]

it.each(HOSTILE)('reads %j however often it comes in no time that anybody would see', (part) => {
  for (const length of [500, 1_500, 8_000]) {
    const text = part.repeat(length / part.length)
    const took = Math.min(...[1, 2, 3].map(() => timeOf(() => tokensOf(text))))
    expect(took).toBeLessThan(1_000)
  }
})

function timeOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

it('reads an ordinary long answer', () => {
  const text = 'A **strong** word, `code` and [a link](https://example.com) in a sentence. '.repeat(60)
  expect(tokensOf(text)).not.toBeNull()
})

it('takes a long line for a line, not for lists in lists', () => {
  expect(tokensOf('Above\n\n--------------------\n\nBelow')?.map(({ type }) => type)).toContain('hr')
})
