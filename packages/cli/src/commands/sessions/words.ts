import type { PastSession, Spent } from '@panoptes/schema'
import { count } from '../../terminal/words.ts'

/** A session's name in a column: its title, as one line without anything that could move the cursor. */
export function plain(text: string, length: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** The lines of a text as they may stand in a terminal: no control characters, no marks that turn the writing round. */
export const printable = (text: string): readonly string[] =>
  text.split(/\r\n|\n|\r/).map((line) => line.replace(/\t/g, '  ').replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD'))

export const dateTime = (ts: number | null): string =>
  ts === null ? '–' : new Date(ts).toISOString().slice(0, 16).replace('T', ' ')

export function dollars(micro: number): string {
  const value = micro / 1_000_000
  return value >= 100
    ? `$${value.toFixed(0)}`
    : value >= 0.1 || value === 0
      ? `$${value.toFixed(2)}`
      : `$${value.toFixed(4)}`
}

/** What it cost, and how much of that is not known. */
export function costText({ cost_micro_usd, cost_unknown, usage_unknown }: Spent): string {
  const unknown = cost_unknown + usage_unknown
  if (cost_micro_usd === 0 && unknown > 0) return '–'
  return unknown > 0 ? `${dollars(cost_micro_usd)} + ${count(unknown)} unknown` : dollars(cost_micro_usd)
}

export const tokensText = ({ input, output, cache_read, cache_write }: Spent): string =>
  `${count(input)} in, ${count(output)} out, ${count(cache_read)} from cache, ${count(cache_write)} to cache`

export const titleText = ({ title, id }: PastSession, length: number): string => plain(title ?? id, length)
