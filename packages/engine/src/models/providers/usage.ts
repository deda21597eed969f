import type { TokenUsage } from '@panoptes/schema'
import { type Fields, toFields } from '@panoptes/schema/plain-object'

/** A value that is not a count is unknown; a negative count is zero. */
const toCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : null

const first = (...values: readonly unknown[]): number | null =>
  values.map(toCount).find((value) => value !== null) ?? null

/** Parses OpenAI-compatible usage, whose prompt tokens include cached ones. */
export function openaiUsage(rawUsage: unknown): TokenUsage | null {
  const usage = toFields(rawUsage)
  const prompt = toCount(usage.prompt_tokens)
  const output = toCount(usage.completion_tokens)
  if (prompt === null && output === null) return null
  const promptDetails = toFields(usage.prompt_tokens_details)
  const made = toFields(usage.completion_tokens_details)
  const read = first(
    promptDetails.cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cache_read_input_tokens,
  )
  const written = first(
    promptDetails.cache_write_tokens,
    promptDetails.cache_creation_tokens,
    usage.cache_creation_input_tokens,
  )
  return {
    input: prompt === null ? null : Math.max(0, prompt - (read ?? 0) - (written ?? 0)),
    output,
    cache_read: read,
    cache_write: written,
    cache_write_1h: null,
    reasoning: first(made.reasoning_tokens, usage.reasoning_tokens),
  }
}

/** Parses Anthropic's usage, whose input tokens exclude cached ones. */
export function anthropicUsage(rawUsage: unknown): TokenUsage | null {
  const usage = toFields(rawUsage)
  const input = toCount(usage.input_tokens)
  const output = toCount(usage.output_tokens)
  if (input === null && output === null) return null
  const cacheCreation = toFields(usage.cache_creation)
  return {
    input,
    output,
    cache_read: toCount(usage.cache_read_input_tokens),
    cache_write: toCount(usage.cache_creation_input_tokens),
    cache_write_1h: toCount(cacheCreation.ephemeral_1h_input_tokens),
    reasoning: toCount(toFields(usage.output_tokens_details).thinking_tokens),
  }
}

/** Formats usage for OpenAI clients. */
export function toOpenaiUsage(usage: TokenUsage): Fields {
  const { input, output, cache_read: read, cache_write: written, reasoning } = usage
  const prompt = (input ?? 0) + (read ?? 0) + (written ?? 0)
  const completion = output ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: read ?? 0, ...(written ? { cache_write_tokens: written } : {}) },
    ...(reasoning === null ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

/**
 * Returns the usage for a client that asked a single model: everything the provider reported (cost,
 * audio …), plus OpenAI's counts.
 */
export function mergeReportedUsage(
  usage: TokenUsage | null,
  rawUsage: Fields | undefined,
): Fields | undefined {
  if (usage === null) return rawUsage
  const counts = toOpenaiUsage(usage)
  const reported = Object.entries(rawUsage ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const both: Record<string, unknown> = { ...counts, ...Object.fromEntries(reported) }
  for (const name of ['prompt_tokens_details', 'completion_tokens_details'])
    if (name in both) both[name] = { ...toFields(counts[name]), ...toFields(rawUsage?.[name]) }
  return both
}
