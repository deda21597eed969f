import type { Spent, TokenUsage } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { isPlainObject } from '@panoptes/schema/plain-object'

/** Formats dollars with two decimals, or four for small amounts, and says when the cost is unknown. */
export function money(micro: number | null): string {
  if (micro === null) return 'cost unknown'
  const dollars = micro / 1_000_000
  return `$${dollars >= 0.1 || dollars === 0 ? dollars.toFixed(2) : dollars.toFixed(4)}`
}

export function spentWords({ cost_micro_usd, cost_unknown, usage_unknown }: Spent): string {
  const unknown = cost_unknown + usage_unknown
  if (unknown === 0) return money(cost_micro_usd)
  return cost_micro_usd === 0
    ? money(null)
    : `${money(cost_micro_usd)} and ${plural(unknown, 'reply', 'replies')} unknown`
}

export const tokenWords = (usage: Omit<TokenUsage, 'cache_write_1h'>): string =>
  [
    [usage.input, 'in'],
    [usage.output, 'out'],
    [usage.cache_read, 'from cache'],
    [usage.cache_write, 'to cache'],
  ]
    .flatMap(([count, word]) => (count === null ? [] : [`${count} ${word}`]))
    .join(', ')

export const timeWords = (ts: number | null): string =>
  ts === null ? '' : `${new Date(ts).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export function durationWords(ms: number | null): string {
  if (ms === null) return ''
  if (ms < 1_000) return `${ms} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

/** Formats a tool's input for people: fields by name, long texts verbatim. */
export function inputWords(input: unknown): string {
  if (typeof input === 'string') return input
  if (!isPlainObject(input)) return asJson(input)
  return Object.entries(input)
    .map(([name, value]) => {
      if (typeof value !== 'string') return `${name}: ${asJson(value)}`
      return value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`
    })
    .join('\n')
}

const asJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''
