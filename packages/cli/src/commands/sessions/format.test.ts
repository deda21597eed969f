import type { PastSession, Spent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { expect, it } from 'vitest'
import {
  costText,
  dateTime,
  dollars,
  outsideText,
  plain,
  printable,
  titleText,
  tokenCount,
  tokensText,
} from './format.ts'

it('formats money with as many digits as matter', () => {
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

it('shows partly or completely unknown cost as unknown, never as $0.00', () => {
  const spent = (cost_micro_usd: number, cost_unknown = 0, usage_unknown = 0) =>
    costText({ cost_micro_usd, cost_unknown, usage_unknown } as Spent)
  expect(spent(0)).toBe('$0.00')
  expect(spent(0, 1)).toBe('–')
  expect(spent(0, 0, 1)).toBe('–')
  expect(spent(500_000, 1, 2)).toBe('$0.50 + 3 unknown')
  const tokens = { input: 1_000, output: 2, cache_read: 3, cache_write: 4, usage_unknown: 0 } as Spent
  expect(tokensText(tokens)).toBe('1,000 in, 2 out, 3 from cache, 4 to cache')
})

it('shows how many replies have unknown tokens, and never 0 if all are unknown', () => {
  const tokens = { ...createZeroSpent(), input: 1, output: 2, usage_unknown: 1 }
  expect(tokensText(tokens)).toBe('1 in, 2 out, 0 from cache, 0 to cache + 1 reply unknown')
  expect(tokensText({ ...createZeroSpent(), usage_unknown: 2 })).toBe('–')
  expect([tokenCount(0, 0), tokenCount(0, 3), tokenCount(5, 3)]).toEqual(['0', '–', '5'])
})

it('cuts text to one line of a given length, and shows the id of a session without a title', () => {
  expect(plain(' a\n b\u001b[2J ', 20)).toBe('a b [2J')
  expect([plain('abcde', 5), plain('abcdef', 5)]).toEqual(['abcde', 'abcd…'])
  expect(printable('a\r\nb\tc\rd\u0007')).toEqual(['a', 'b  c', 'd\uFFFD'])
  expect(titleText({ title: null, id: 'the-id' } as PastSession, 20)).toBe('the-id')
  expect([dateTime(null), dateTime(Date.UTC(2026, 0, 2, 3, 4, 59))]).toEqual(['–', '2026-01-02 03:04'])
})

it('formats cost outside transcripts, and never shows $0.00 for an unknown one', () => {
  expect([outsideText(3_500), outsideText(0), outsideText(null), outsideText(undefined)]).toEqual([
    '$0.0035',
    '$0.00',
    '–',
    '–',
  ])
  expect([outsideText(0, 2), outsideText(250_000, 1)]).toEqual(['–', '$0.25 + 1 session unknown'])
})
