import type { TokenUsage } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { toCount } from '../fields.ts'

/** Converts usage. Missing counts are unknown. */
export function toUsage(value: unknown): TokenUsage | null {
  if (!isPlainObject(value)) return null
  const { input, output, cache_read, cache_write, reasoning } = value
  const usage = {
    input: toCount(input),
    output: toCount(output),
    cache_read: toCount(cache_read),
    cache_write: toCount(cache_write),
    cache_write_1h: null,
    reasoning: toCount(reasoning),
  }
  return Object.values(usage).some((count) => count !== null) ? usage : null
}
