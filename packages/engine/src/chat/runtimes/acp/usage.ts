import type { ChatUsage } from '@panoptes/schema'
import { countOf, type Fields, fieldsOf } from '../fields.ts'

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cachedReadTokens',
  'cachedWriteTokens',
  'thoughtTokens',
  'totalTokens',
]

/** What a prompt used. Some tell the sum over all prompts of a session since it was opened: then what was told before is taken off. */
export function usageOf(told: unknown, before: Fields): ChatUsage | undefined {
  const now = fieldsOf(told)
  const of = (name: string): number | undefined => {
    const count = countOf(now[name])
    return count === undefined ? undefined : Math.max(0, count - (countOf(before[name]) ?? 0))
  }
  const [input, output, read, written, thought, total] = COUNTS.map(of)
  if (input === undefined && output === undefined) return undefined
  const cached = (read ?? 0) + (written ?? 0)
  // Some count what came from the cache as input, others beside it: the sum of all says which.
  const isWithin = total !== undefined && cached > 0 && total < (input ?? 0) + (output ?? 0) + cached
  const counts = {
    input: input === undefined ? undefined : isWithin ? Math.max(0, input - cached) : input,
    output,
    cache_read: read,
    cache_write: written,
    reasoning: thought,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}
