import type { PastSession, Spent } from '@panoptes/schema'
import { count, plural } from '../../terminal/format.ts'

/** The title of a session as one line, without control characters. */
export function plain(text: string, length: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** Splits text into lines that are safe in a terminal, without control and bidirectional characters. */
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

/** Formats the cost of a session. Nothing is known about it if only the prompts are left. */
export const sessionCostText = ({ spent, prompts_only }: PastSession): string =>
  prompts_only ? '–' : costText(spent)

/** Formats a cost with the number of unpriced replies. */
export function costText({ cost_micro_usd, cost_unknown, usage_unknown }: Spent): string {
  const unknown = cost_unknown + usage_unknown
  if (cost_micro_usd === 0 && unknown > 0) return '–'
  return unknown > 0 ? `${dollars(cost_micro_usd)} + ${count(unknown)} unknown` : dollars(cost_micro_usd)
}

/** Formats the cost outside transcripts with the number of sessions that do not report it. */
export function outsideText(micro: number | null | undefined, unknown = 0): string {
  if (micro === null || micro === undefined || (micro === 0 && unknown > 0)) return '–'
  return unknown > 0 ? `${dollars(micro)} + ${plural(unknown, 'session')} unknown` : dollars(micro)
}

/** Formats a token sum, as a dash if it is 0 because replies do not report tokens. */
export const tokenCount = (tokens: number, unknown: number): string =>
  tokens === 0 && unknown > 0 ? '–' : count(tokens)

export function tokensText({
  input,
  output,
  cache_read,
  cache_write,
  usage_unknown: unknown,
}: Spent): string {
  if (input + output + cache_read + cache_write === 0 && unknown > 0) return '–'
  const tokens = `${count(input)} in, ${count(output)} out, ${count(cache_read)} from cache, ${count(cache_write)} to cache`
  return unknown > 0 ? `${tokens} + ${count(unknown)} ${unknown === 1 ? 'reply' : 'replies'} unknown` : tokens
}

export const titleText = ({ title, id }: PastSession, length: number): string => plain(title ?? id, length)

const LEAST = 8

/** Shortens ids to unique prefixes within a list. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids)].sort()
  const lengths = new Map(
    sorted.map((id, at) => {
      const like = Math.max(
        commonPrefixLength(id, sorted[at - 1] ?? ''),
        commonPrefixLength(id, sorted[at + 1] ?? ''),
      )
      return [id, Math.max(LEAST, like + 1)] as const
    }),
  )
  return (id) => id.slice(0, lengths.get(id) ?? LEAST)
}

/** The length of the common prefix. */
function commonPrefixLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}
