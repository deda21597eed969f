type Block = Readonly<Record<string, unknown>>

/** OpenAI parameters that Anthropic names differently or does not have. */
const THEIRS: ReadonlySet<string> = new Set([
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'stop', 'stream', 'stream_options'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'response_format'],
  ...['reasoning_effort', 'verbosity', 'n', 'seed', 'logprobs', 'top_logprobs', 'logit_bias'],
  ...['frequency_penalty', 'presence_penalty', 'modalities', 'prediction', 'audio', 'web_search_options'],
  ...['user', 'metadata', 'safety_identifier', 'store', 'service_tier', 'output_config'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
])

/**
 * Translates all parameters besides the conversation and the tools. Unknown parameters pass
 * unchanged.
 */
export function anthropicParameters(model: string, rest: Block): Block {
  const unknown = Object.entries(rest).filter(([name, value]) => !THEIRS.has(name) && value !== null)
  const { temperature, stop } = rest
  return {
    ...Object.fromEntries(unknown),
    max_tokens: rest.max_completion_tokens ?? rest.max_tokens ?? mostTokens(model, rest),
    // Anthropic rejects temperatures over 1.
    ...(typeof temperature === 'number' ? { temperature: Math.min(1, temperature) } : {}),
    ...(stop === undefined || stop === null ? {} : { stop_sequences: [stop].flat() }),
    ...person(rest),
    ...tier(rest),
    ...output(model, rest),
  }
}

/**
 * Anthropic requires `max_tokens`. If the client sets none, nothing may be cut short, so this
 * returns the maximum that every model since the fourth generation supports, and less for older
 * ones.
 */
function mostTokens(model: string, { thinking }: Block): number {
  const most = /claude-(?:2|instant|3-(?:opus|sonnet|haiku))/.test(model)
    ? 4_096
    : /claude-3-5/.test(model)
      ? 8_192
      : 32_000
  // Thinking tokens count too and must leave room for an answer.
  const thought = (thinking as { budget_tokens?: unknown } | null | undefined)?.budget_tokens
  return typeof thought === 'number' && thought >= most ? thought + ANSWER : most
}

const ANSWER = 8_192

function person({ user, safety_identifier, metadata }: Block): Block {
  const id = user ?? safety_identifier ?? (metadata as { user_id?: unknown } | null | undefined)?.user_id
  return typeof id === 'string' ? { metadata: { user_id: id } } : {}
}

function tier({ service_tier: requested }: Block): Block {
  if (requested === 'auto' || requested === 'standard_only') return { service_tier: requested }
  return requested === 'default' ? { service_tier: 'standard_only' } : {}
}

function output(model: string, rest: Block): Block {
  const own = (rest.output_config as object | null | undefined) ?? {}
  const all = { ...effort(model, rest), ...format(rest), ...own }
  return Object.keys(all).length > 0 ? { output_config: all } : {}
}

/** Models that reject an effort. */
const EFFORTLESS =
  /claude-(?:[23]\b|instant|haiku-4|sonnet-4(?:-[0-5])?(?:-\d{8}|$)|opus-4(?:-[01])?(?:-\d{8}|$))/
const EFFORTS: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

function effort(model: string, { reasoning_effort: requested }: Block): Block {
  const level =
    typeof requested === 'string' && Object.hasOwn(EFFORTS, requested) ? EFFORTS[requested] : undefined
  return level === undefined || EFFORTLESS.test(model) ? {} : { effort: level }
}

function format({ response_format: requested }: Block): Block {
  const { type, json_schema: named } = (requested ?? {}) as {
    type?: unknown
    json_schema?: { schema?: unknown }
  }
  return type !== 'json_schema' || named?.schema === undefined
    ? {}
    : { format: { type: 'json_schema', schema: named.schema } }
}
