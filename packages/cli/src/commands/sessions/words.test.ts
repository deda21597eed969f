import type { PastSession, Spent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { costText, dateTime, dollars, plain, printable, titleText, tokensText } from './words.ts'

it('writes money with as many digits as matter', () => {
  expect([0, 1_234, 99_999, 100_000, 1_239_000, 99_990_000, 123_456_789].map(dollars)).toEqual([
    '$0.00',
    '$0.0012',
    '$0.1000',
    '$0.10',
    '$1.24',
    '$99.99',
    '$123',
  ])
})

it('shows cost that is partly or wholly unknown as unknown, never as nothing', () => {
  const spent = (cost_micro_usd: number, cost_unknown = 0, usage_unknown = 0) =>
    costText({ cost_micro_usd, cost_unknown, usage_unknown } as Spent)
  expect(spent(0)).toBe('$0.00')
  expect(spent(0, 1)).toBe('–')
  expect(spent(0, 0, 1)).toBe('–')
  expect(spent(500_000, 1, 2)).toBe('$0.50 + 3 unknown')
  expect(tokensText({ input: 1_000, output: 2, cache_read: 3, cache_write: 4 } as Spent)).toBe(
    '1,000 in, 2 out, 3 from cache, 4 to cache',
  )
})

it('cuts a text to one line of a length, and names a session without a title by its id', () => {
  expect(plain(' a\n b\u001b[2J ', 20)).toBe('a b [2J')
  expect([plain('abcde', 5), plain('abcdef', 5)]).toEqual(['abcde', 'abcd…'])
  expect(printable('a\r\nb\tc\rd\u0007')).toEqual(['a', 'b  c', 'd\uFFFD'])
  expect(titleText({ title: null, id: 'the-id' } as PastSession, 20)).toBe('the-id')
  expect([dateTime(null), dateTime(Date.UTC(2026, 0, 2, 3, 4, 59))]).toEqual(['–', '2026-01-02 03:04'])
})
