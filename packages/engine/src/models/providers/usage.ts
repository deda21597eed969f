import type { TokenUsage } from '@panoptes/schema'

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** A count that is none is not known; one below nothing is nothing. */
const counted = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : null

const first = (...values: readonly unknown[]): number | null =>
  values.map(counted).find((value) => value !== null) ?? null

/** What OpenAI and those who speak like it tell: their prompt includes what came from the cache. */
export function openaiUsage(told: unknown): TokenUsage | null {
  const usage = fields(told)
  const prompt = counted(usage.prompt_tokens)
  const output = counted(usage.completion_tokens)
  if (prompt === null && output === null) return null
  const given = fields(usage.prompt_tokens_details)
  const made = fields(usage.completion_tokens_details)
  const read = first(given.cached_tokens, usage.prompt_cache_hit_tokens, usage.cache_read_input_tokens)
  const written = first(
    given.cache_write_tokens,
    given.cache_creation_tokens,
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

/** What Anthropic tells: its input is what did not come from the cache. */
export function anthropicUsage(told: unknown): TokenUsage | null {
  const usage = fields(told)
  const input = counted(usage.input_tokens)
  const output = counted(usage.output_tokens)
  if (input === null && output === null) return null
  const kept = fields(usage.cache_creation)
  return {
    input,
    output,
    cache_read: counted(usage.cache_read_input_tokens),
    cache_write: counted(usage.cache_creation_input_tokens),
    cache_write_1h: counted(kept.ephemeral_1h_input_tokens),
    reasoning: counted(fields(usage.output_tokens_details).thinking_tokens),
  }
}

/** In the words of OpenAI, for those who asked in them. */
export function asOpenaiUsage(usage: TokenUsage): Fields {
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

/** What one model took, for whoever asked it alone: all that its provider told (money, audio …), with the counts of OpenAI beside it. */
export function passedUsage(usage: TokenUsage | null, told: Fields | undefined): Fields | undefined {
  if (usage === null) return told
  const counts = asOpenaiUsage(usage)
  const said = Object.entries(told ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const both: Record<string, unknown> = { ...counts, ...Object.fromEntries(said) }
  for (const name of ['prompt_tokens_details', 'completion_tokens_details'])
    if (name in both) both[name] = { ...fields(counts[name]), ...fields(told?.[name]) }
  return both
}
