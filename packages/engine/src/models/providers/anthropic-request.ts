import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { isThought, thoughtsIn, withThoughts } from './anthropic-thoughts.ts'
import type { ChatAsk, ChatMessage } from './port.ts'

type Block = Readonly<Record<string, unknown>>
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** Returns the cached thinking blocks that preceded the tool calls of a message. */
export type FindThoughts = (calls: unknown) => readonly unknown[]

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
 * Translates an OpenAI request into an Anthropic one. Whatever grows from call to call comes last,
 * so that the prefix can be cached.
 */
export function anthropicRequest(
  { model, messages, rest = {} }: ChatAsk,
  remembered: FindThoughts = () => [],
): Block {
  const { type: thinks } = (rest.thinking ?? {}) as { type?: unknown }
  const whole = conversation(messages, thinks === 'disabled' ? undefined : remembered)
  // A tool loop whose last call lost its thinking blocks is rejected unless thinking is off.
  const isLost = thinks === 'enabled' && hasLostThoughts(whole.turns)
  const { system, turns, called } = isLost ? conversation(messages, undefined) : whole
  const { thinking: _thinking, ...others } = rest
  return {
    model,
    ...anthropicParameters(model, isLost ? others : rest),
    stream: true,
    ...anthropicTools(rest, called),
    ...(system.length > 0 ? { system } : {}),
    messages: turns,
  }
}

function hasLostThoughts(turns: readonly Turn[]): boolean {
  if (!turns.at(-1)?.content.some(({ type }) => type === 'tool_result')) return false
  const first = turns.findLast(({ role }) => role === 'assistant')?.content[0]
  return first !== undefined && !isThought(first)
}

function conversation(messages: readonly ChatMessage[], remembered: FindThoughts | undefined) {
  const system: Block[] = []
  const turns: Turn[] = []
  const called = new Set<string>()
  const thought = new Set<string>()
  const ensureTurn = (role: Turn['role']): Turn => {
    const last = turns.at(-1)
    if (last?.role === role) return last
    const turn: Turn = { role, content: [] }
    turns.push(turn)
    return turn
  }
  const say = (role: Turn['role'], blocks: readonly Block[]) => {
    if (blocks.length > 0) ensureTurn(role).content.push(...blocks)
  }
  for (const message of messages) {
    const { role } = message
    if (role === 'system' || role === 'developer') {
      // Later system messages stay where they were.
      if (turns.length === 0) system.push(...messageBlocks(message))
      else say('user', messageBlocks(message))
    } else if (role === 'assistant') {
      const made = calls(message)
      for (const { name } of made) if (typeof name === 'string') called.add(name)
      const blocks = [...messageBlocks(message), ...made]
      // Parallel tool calls may come back in several messages, but their thinking blocks must
      // appear only once.
      if (turns.at(-1)?.role !== 'assistant') thought.clear()
      const fresh = remembered ? thoughts(message, remembered).filter(({ sign }) => !thought.has(sign)) : []
      for (const { sign } of fresh) thought.add(sign)
      say('assistant', remembered ? withThoughts(fresh, blocks) : blocks.filter((one) => !isThought(one)))
    } else if (role === 'tool') {
      // Tool results come first in their turn, whatever text was between them.
      const { content } = ensureTurn('user')
      const before = content.findLastIndex(({ type }) => type === 'tool_result') + 1
      content.splice(before, 0, result(message))
    } else say('user', messageBlocks(message))
  }
  return { system, turns, called }
}

/**
 * Uses the thinking blocks the client sent back. Some clients keep only the last of several; then
 * the cached ones are used.
 */
function thoughts({ reasoning_details: details, tool_calls: made }: ChatMessage, remembered: FindThoughts) {
  const sent = thoughtsIn(details)
  const rememberedThoughts = thoughtsIn(remembered(made))
  return rememberedThoughts.length > sent.length ? rememberedThoughts : sent
}

/** Returns the content blocks of a message. A cache mark on the message goes to its last block. */
function messageBlocks({ content, cache_control: cacheControl }: ChatMessage): Block[] {
  const blocks = parts(content)
  const last = blocks.at(-1)
  return cacheControl === undefined || last === undefined || last.cache_control !== undefined
    ? blocks
    : [...blocks.slice(0, -1), { ...last, cache_control: cacheControl }]
}

/** Anthropic rejects blank text. */
const text = (words: unknown, decorated: Block = {}): Block[] =>
  typeof words !== 'string' || words.trim() === '' ? [] : [{ type: 'text', text: words, ...decorated }]

const parts = (content: unknown): Block[] => (Array.isArray(content) ? content.flatMap(part) : text(content))

function part(each: Block | string | null): Block[] {
  if (typeof each !== 'object' || each === null) return text(each)
  const decorated = each.cache_control === undefined ? {} : { cache_control: each.cache_control }
  if (each.type === 'text') return text(each.text, decorated)
  if (each.type === 'refusal') return text(each.refusal, decorated)
  if (each.type === 'image_url')
    return [{ type: 'image', source: source(imageUrl(each.image_url)), ...decorated }]
  const file = each.type === 'file' ? (each.file as Block | undefined)?.file_data : undefined
  return typeof file === 'string' ? [{ type: 'document', source: source(file), ...decorated }] : [each]
}

const imageUrl = (image: unknown): string =>
  typeof image === 'string' ? image : String((image as Block | null)?.url ?? '')

const DATA = /^data:([^;,]{1,200})(?:;[^,;]{1,200})*;base64,/

function source(url: string): Block {
  const data = DATA.exec(url)
  return data
    ? { type: 'base64', media_type: data[1], data: url.slice(data[0].length) }
    : { type: 'url', url }
}

/** Ids of other providers may contain characters that Anthropic rejects. */
const toolUseId = (id: unknown): string => String(id ?? '').replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'

function calls({ tool_calls: made }: ChatMessage): Block[] {
  if (!Array.isArray(made)) return []
  return made.map((call) => ({
    type: 'tool_use',
    id: toolUseId(call?.id),
    name: call?.function?.name ?? call?.custom?.name,
    input: parseArguments(call?.function?.arguments ?? call?.custom?.input),
    ...(call?.cache_control === undefined ? {} : { cache_control: call.cache_control }),
  }))
}

function parseArguments(args: unknown): unknown {
  if (typeof args === 'object' && args !== null) return args
  if (typeof args !== 'string' || args.trim() === '') return {}
  try {
    const value: unknown = parseJson(args)
    return isPlainObject(value) ? value : { value }
  } catch {
    return { value: args }
  }
}

function result({ tool_call_id, content, cache_control: cacheControl }: ChatMessage): Block {
  const blocks = parts(content)
  return {
    type: 'tool_result',
    tool_use_id: toolUseId(tool_call_id),
    ...(blocks.length > 0 ? { content: blocks } : {}),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  }
}

/**
 * Translates the tools and the tool choice. `called` are the tools that the conversation mentions.
 */
function anthropicTools(rest: Block, called: ReadonlySet<string>): Block {
  if (Array.isArray(rest.tools) && rest.tools.length > 0)
    return { tools: rest.tools.map(tool), ...choice(rest) }
  // Anthropic rejects a conversation with tool calls if no tools are declared.
  return called.size === 0
    ? {}
    : { tools: [...called].map((name) => ({ name, input_schema: NOTHING })), tool_choice: { type: 'none' } }
}

const NOTHING = { type: 'object', properties: {} }

function tool(definition: Block | null): unknown {
  if (definition?.type !== 'function') return definition
  const { name, description, parameters, strict } = (definition.function ?? {}) as Block
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: typeof parameters === 'object' && parameters ? { type: 'object', ...parameters } : NOTHING,
    ...(strict === true ? { strict } : {}),
    ...(definition.cache_control === undefined ? {} : { cache_control: definition.cache_control }),
  }
}

const NATIVE = ['auto', 'any', 'tool', 'none']

function choice({ tool_choice: chosen, parallel_tool_calls: parallel }: Block): Block {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (chosen === undefined || chosen === null || chosen === 'auto')
    return parallel === false ? { tool_choice: { type: 'auto', ...alone } } : {}
  if (chosen === 'none') return { tool_choice: { type: 'none' } }
  if (chosen === 'required' || chosen === 'any') return { tool_choice: { type: 'any', ...alone } }
  const {
    type,
    function: named,
    allowed_tools: some,
  } = chosen as {
    type?: string
    function?: { name?: unknown }
    allowed_tools?: { mode?: unknown }
  }
  if (typeof type === 'string' && NATIVE.includes(type))
    return { tool_choice: { ...(chosen as object), ...alone } }
  if (type === 'allowed_tools')
    return { tool_choice: { type: some?.mode === 'required' ? 'any' : 'auto', ...alone } }
  return { tool_choice: { type: 'tool', name: named?.name, ...alone } }
}

/**
 * Translates all parameters besides the conversation and the tools. Unknown parameters pass
 * unchanged.
 */
function anthropicParameters(model: string, rest: Block): Block {
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
