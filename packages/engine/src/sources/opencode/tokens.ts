import type { TokenUsage } from '@panoptes/schema'
import { countOf, fieldsOf } from '../fields.ts'

/** What a reply took; nothing where all is zero: then it is not known yet. */
export function usageOf(value: unknown): TokenUsage | null {
  const tokens = fieldsOf(value)
  const cache = fieldsOf(tokens.cache)
  const [input, output, reasoning] = [tokens.input, tokens.output, tokens.reasoning].map(countOf)
  const [read, write] = [cache.read, cache.write].map(countOf)
  const counts = [input, output, reasoning, read, write]
  if (counts.every((count) => !count)) return null
  return {
    input: input ?? null,
    output: spoken(tokens.total, counts, output ?? null, reasoning ?? null),
    cache_read: read ?? null,
    cache_write: write ?? null,
    cache_write_1h: null,
    reasoning: reasoning ?? null,
  }
}

/** Thoughts are output too. Newer versions count them apart, as the total tells; older ones did not. */
function spoken(
  total: unknown,
  counts: readonly (number | null | undefined)[],
  output: number | null,
  reasoning: number | null,
): number | null {
  const sum = counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  const apart = countOf(total) === sum || (output ?? 0) < (reasoning ?? 0)
  return apart && reasoning !== null ? (output ?? 0) + reasoning : output
}

const MOST_USD = 1_000_000_000

/** Micro-dollars. OpenCode writes zero for what it has no price for. */
export const costOf = (value: unknown): number | null =>
  typeof value === 'number' && value > 0 && value < MOST_USD ? Math.round(value * 1_000_000) : null
