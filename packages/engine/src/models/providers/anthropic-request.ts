import type { ChatAsk, ChatMessage } from './port.ts'

type Block = Readonly<Record<string, unknown>>
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** It wants to be told how long an answer may get. */
const MOST_TOKENS = 16_384

/** What was asked in OpenAI's words, in Anthropic's. What neither has a word for in the other is left out. */
export function anthropicRequest({ model, messages, rest = {} }: ChatAsk): Block {
  const { system, turns } = conversation(messages)
  return {
    ...passing(rest),
    model,
    max_tokens: rest.max_completion_tokens ?? rest.max_tokens ?? MOST_TOKENS,
    messages: turns,
    ...(system.length > 0 ? { system } : {}),
    ...tools(rest),
    ...(rest.stop === undefined || rest.stop === null ? {} : { stop_sequences: [rest.stop].flat() }),
    ...format(rest),
    stream: true,
  }
}

/** Words of OpenAI that are said otherwise there, or not at all. */
const THEIRS: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stop',
  'response_format',
  'stream',
  'stream_options',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'seed',
  'user',
  'frequency_penalty',
  'presence_penalty',
  'store',
  'reasoning_effort',
  'modalities',
  'prediction',
  'audio',
  'functions',
  'function_call',
  'prompt_cache_key',
  'safety_identifier',
  'verbosity',
])

const passing = (rest: Block): Block =>
  Object.fromEntries(Object.entries(rest).filter(([name, value]) => !THEIRS.has(name) && value !== null))

function conversation(messages: readonly ChatMessage[]): { system: Block[]; turns: Turn[] } {
  const system: Block[] = []
  const turns: Turn[] = []
  const say = (role: Turn['role'], blocks: readonly Block[]) => {
    if (blocks.length === 0) return
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: [...blocks] })
  }
  for (const message of messages) {
    const { role, content } = message
    if (role === 'system' || role === 'developer') {
      // What the system says later on stands where it was said.
      if (turns.length === 0) system.push(...parts(content))
      else say('user', parts(content))
    } else if (role === 'assistant') say('assistant', [...parts(content), ...calls(message)])
    else if (role === 'tool') say('user', [result(message)])
    else say('user', parts(content))
  }
  return { system, turns }
}

function parts(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.flatMap(part) : []
}

function part(each: Block): Block[] {
  const { cache_control: kept } = each
  const decorated = kept === undefined ? {} : { cache_control: kept }
  if (typeof each === 'string') return parts(each)
  if (each.type === 'text') return each.text === '' ? [] : [{ type: 'text', text: each.text, ...decorated }]
  if (each.type === 'image_url') return [{ type: 'image', source: imageSource(each.image_url), ...decorated }]
  if (each.type === 'refusal') return [{ type: 'text', text: each.refusal }]
  return [each]
}

const DATA = /^data:([^;,]+);base64,(.*)$/s

function imageSource(image: unknown): Block {
  const url = typeof image === 'string' ? image : String((image as Block | null)?.url ?? '')
  const data = DATA.exec(url)
  return data ? { type: 'base64', media_type: data[1], data: data[2] } : { type: 'url', url }
}

function calls({ tool_calls: made }: ChatMessage): Block[] {
  if (!Array.isArray(made)) return []
  return made.map(({ id, function: call }) => ({
    type: 'tool_use',
    id,
    name: call?.name,
    input: parsed(call?.arguments),
  }))
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value }
  } catch {
    return { value: text }
  }
}

const result = ({ tool_call_id, content }: ChatMessage): Block => ({
  type: 'tool_result',
  tool_use_id: tool_call_id,
  content: parts(content),
})

function tools(rest: Block): Block {
  if (!Array.isArray(rest.tools) || rest.tools.length === 0) return {}
  const listed = rest.tools.map((tool) =>
    tool?.type === 'function'
      ? {
          name: tool.function?.name,
          ...(tool.function?.description === undefined ? {} : { description: tool.function.description }),
          input_schema: tool.function?.parameters ?? { type: 'object', properties: {} },
          ...(tool.cache_control === undefined ? {} : { cache_control: tool.cache_control }),
        }
      : tool,
  )
  return { tools: listed, ...choice(rest) }
}

function choice({ tool_choice: chosen, parallel_tool_calls: parallel }: Block): Block {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (chosen === undefined || chosen === null || chosen === 'auto')
    return parallel === false ? { tool_choice: { type: 'auto', ...alone } } : {}
  if (chosen === 'none') return { tool_choice: { type: 'none' } }
  if (chosen === 'required') return { tool_choice: { type: 'any', ...alone } }
  const name = (chosen as { function?: { name?: unknown } }).function?.name
  return { tool_choice: { type: 'tool', name, ...alone } }
}

function format({ response_format: asked, output_config: own }: Block): Block {
  const schema = (asked as { type?: unknown; json_schema?: { schema?: unknown } } | undefined) ?? {}
  if (schema.type !== 'json_schema' || schema.json_schema?.schema === undefined) return {}
  const kept = (own as object | undefined) ?? {}
  return { output_config: { ...kept, format: { type: 'json_schema', schema: schema.json_schema.schema } } }
}
