type Block = Readonly<Record<string, unknown>>

/** Words of OpenAI that are said otherwise there, or not at all. */
const THEIRS: ReadonlySet<string> = new Set([
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'stop', 'stream', 'stream_options'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'response_format'],
  ...['reasoning_effort', 'verbosity', 'n', 'seed', 'logprobs', 'top_logprobs', 'logit_bias'],
  ...['frequency_penalty', 'presence_penalty', 'modalities', 'prediction', 'audio', 'web_search_options'],
  ...['user', 'metadata', 'safety_identifier', 'store', 'service_tier', 'output_config'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
])

/** All that is asked beside the conversation and the tools. What is known to neither side passes as it came. */
export function anthropicParameters(model: string, rest: Block): Block {
  const unknown = Object.entries(rest).filter(([name, value]) => !THEIRS.has(name) && value !== null)
  const { temperature, stop } = rest
  return {
    ...Object.fromEntries(unknown),
    max_tokens: rest.max_completion_tokens ?? rest.max_tokens ?? mostTokens(model, rest),
    // What is warmer than its warmest is not taken.
    ...(typeof temperature === 'number' ? { temperature: Math.min(1, temperature) } : {}),
    ...(stop === undefined || stop === null ? {} : { stop_sequences: [stop].flat() }),
    ...person(rest),
    ...tier(rest),
    ...output(model, rest),
  }
}

/**
 * It wants to be told how long an answer may get. Nobody said, so nothing is to be cut short: as much as every model since
 * the fourth generation gives, and of older ones as much as they have.
 */
function mostTokens(model: string, { thinking }: Block): number {
  const most = /claude-(?:2|instant|3-(?:opus|sonnet|haiku))/.test(model)
    ? 4_096
    : /claude-3-5/.test(model)
      ? 8_192
      : 32_000
  // What is thought counts, and has to leave room for an answer.
  const thought = (thinking as { budget_tokens?: unknown } | null | undefined)?.budget_tokens
  return typeof thought === 'number' && thought >= most ? thought + ANSWER : most
}

const ANSWER = 8_192

function person({ user, safety_identifier, metadata }: Block): Block {
  const id = user ?? safety_identifier ?? (metadata as { user_id?: unknown } | null | undefined)?.user_id
  return typeof id === 'string' ? { metadata: { user_id: id } } : {}
}

function tier({ service_tier: asked }: Block): Block {
  if (asked === 'auto' || asked === 'standard_only') return { service_tier: asked }
  return asked === 'default' ? { service_tier: 'standard_only' } : {}
}

function output(model: string, rest: Block): Block {
  const own = (rest.output_config as object | null | undefined) ?? {}
  const all = { ...effort(model, rest), ...format(rest), ...own }
  return Object.keys(all).length > 0 ? { output_config: all } : {}
}

/** Models that do not take an effort refuse it. */
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

function effort(model: string, { reasoning_effort: asked }: Block): Block {
  const said = typeof asked === 'string' && Object.hasOwn(EFFORTS, asked) ? EFFORTS[asked] : undefined
  return said === undefined || EFFORTLESS.test(model) ? {} : { effort: said }
}

function format({ response_format: asked }: Block): Block {
  const { type, json_schema: named } = (asked ?? {}) as { type?: unknown; json_schema?: { schema?: unknown } }
  return type !== 'json_schema' || named?.schema === undefined
    ? {}
    : { format: { type: 'json_schema', schema: named.schema } }
}
