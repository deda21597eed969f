import { expect, it } from 'vitest'
import { parseTokens } from './markdown.tsx'

const HOSTILE = [
  ...['> ', '>', '*a **b ', '[', '[a](', '_a __b ', '`` ` ', '- ', '<a ', '![', '~~a ', '[a](b"', '[x]: y\n'],
  ...['<!--', '*\n', '|', '|a\n|-\n', '&', '\\[', '***', 'http://a.', 'a@b.', '*a_', '**_[`~~', '!', '1. '],
]

it.each(HOSTILE)('parses many repetitions of %j within a second', (part) => {
  for (const length of [500, 1_500, 8_000]) {
    const text = part.repeat(length / part.length)
    const took = Math.min(...[1, 2, 3].map(() => timeOf(() => parseTokens(text))))
    expect(took).toBeLessThan(1_000)
  }
})

function timeOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

it('parses an ordinary long answer', () => {
  const text = 'A **strong** word, `code` and [a link](https://example.com) in a sentence. '.repeat(60)
  expect(parseTokens(text)).not.toBeNull()
})

it('parses a long row of dashes as a rule, not as nested lists', () => {
  expect(parseTokens('Above\n\n--------------------\n\nBelow')?.map(({ type }) => type)).toContain('hr')
})
