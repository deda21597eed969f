import type { ChatUsage } from '@panoptes/schema'
import { type Fields, toCount, toFields } from '../fields.ts'

/** Returns a turn's usage in any known format; undefined if it contains only zeros. */
export function parseUsage(rawUsage: unknown): ChatUsage | undefined {
  const fields = toFields(rawUsage)
  const input = first(fields, 'input_tokens', 'prompt_tokens')
  const output = first(fields, 'output_tokens', 'completion_tokens')
  if (!input && !output) return undefined
  const rest = {
    cache_read: first(fields, 'cache_read_tokens', 'cached_tokens'),
    cache_write: first(fields, 'cache_write_tokens'),
    reasoning: first(fields, 'reasoning_tokens'),
  }
  return Object.fromEntries(
    Object.entries({ input, output, ...rest }).filter(([, count]) => count !== undefined),
  )
}

const first = (fields: Fields, ...names: readonly string[]): number | undefined =>
  names.map((name) => toCount(fields[name])).find((count) => count !== undefined)
