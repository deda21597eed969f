import type { ChatUsage } from '@panoptes/schema'
import { countOf, type Fields, fieldsOf } from '../fields.ts'

/** What a turn used, in whichever words; undefined where it tells nothing but noughts. */
export function usageOf(told: unknown): ChatUsage | undefined {
  const fields = fieldsOf(told)
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
  names.map((name) => countOf(fields[name])).find((count) => count !== undefined)
