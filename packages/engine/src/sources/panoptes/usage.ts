import type { TokenUsage } from '@panoptes/schema'
import { countOf, isFields } from '../fields.ts'

/** What was not told is unknown. */
export function usageOf(value: unknown): TokenUsage | null {
  if (!isFields(value)) return null
  const { input, output, cache_read, cache_write, reasoning } = value
  const usage = {
    input: countOf(input),
    output: countOf(output),
    cache_read: countOf(cache_read),
    cache_write: countOf(cache_write),
    cache_write_1h: null,
    reasoning: countOf(reasoning),
  }
  return Object.values(usage).some((count) => count !== null) ? usage : null
}
