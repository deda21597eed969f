import type { TokenUsage } from '@panoptes/schema'
import { asDetail } from './anthropic-thoughts.ts'
import type { ChatChunk } from './port.ts'
import { anthropicUsage } from './usage.ts'

type Fields = Readonly<Record<string, unknown>>

const FINISHED: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Makes the pieces of Anthropic's answers into those of OpenAI. */
export function anthropicPieces() {
  let model: unknown = null
  let id: unknown = null
  let told: Fields = {}
  /** The number of each block's call among the calls. */
  const calls = new Map<unknown, number>()
  const silent = new Set<unknown>()
  /** Thoughts that are not over. */
  const thinking = new Map<unknown, { type: 'thinking'; thinking: string; signature?: string }>()
  let thoughts = 0
  let hasWords = false
  const chunk = (delta: Fields, finish_reason: string | null = null): ChatChunk => ({
    id,
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const worded = (text: unknown): ChatChunk => {
    hasWords ||= typeof text === 'string' && text.trim() !== ''
    return chunk({ content: text })
  }
  /** Its place is that among thoughts, words and calls, as they are put together again. */
  const thought = (block: Fields): ChatChunk => {
    const place = thoughts + (hasWords ? 1 : 0) + calls.size
    thoughts += 1
    return chunk({ reasoning_details: [asDetail(block, place)] })
  }
  const beginsToThink = (at: unknown, { thinking: words, signature }: Fields): ChatChunk | undefined => {
    const begun = typeof words === 'string' ? words : ''
    thinking.set(at, {
      type: 'thinking',
      thinking: begun,
      ...(typeof signature === 'string' && signature !== '' ? { signature } : {}),
    })
    return begun === '' ? undefined : chunk({ reasoning_content: begun })
  }
  const thinksOn = (at: unknown, { type, thinking: words, signature }: Fields): ChatChunk | undefined => {
    const block = thinking.get(at)
    if (type === 'thinking_delta') {
      if (block && typeof words === 'string') block.thinking += words
      return chunk({ reasoning_content: words })
    }
    if (block && typeof signature === 'string') block.signature = (block.signature ?? '') + signature
    return undefined
  }
  const ended = (at: unknown): ChatChunk | undefined => {
    // A call without parameters has no pieces; its arguments are nothing, and still JSON.
    if (silent.delete(at))
      return chunk({ tool_calls: [{ index: calls.get(at), function: { arguments: '{}' } }] })
    const block = thinking.get(at)
    thinking.delete(at)
    return block && thought(block)
  }
  const begun = ({ index: at, content_block: block }: Fields): ChatChunk | undefined => {
    const { type, id: call, name, input, text } = (block ?? {}) as Fields
    if (type === 'text' && text) return worded(text)
    if (type === 'thinking') return beginsToThink(at, block as Fields)
    if (type === 'redacted_thinking') return thought(block as Fields)
    if (type !== 'tool_use') return undefined
    const index = calls.size
    calls.set(at, index)
    const given = Object.keys(input ?? {}).length > 0 ? JSON.stringify(input) : ''
    if (given === '') silent.add(at)
    return chunk({
      tool_calls: [{ index, id: call, type: 'function', function: { name, arguments: given } }],
    })
  }
  const grown = ({ index: at, delta }: Fields): ChatChunk | undefined => {
    const { type, text, partial_json } = (delta ?? {}) as Fields
    if (type === 'text_delta') return worded(text)
    if (type === 'thinking_delta' || type === 'signature_delta') return thinksOn(at, delta as Fields)
    const index = calls.get(at)
    // What its own tools are given is no call of ours.
    if (type !== 'input_json_delta' || index === undefined) return undefined
    if (partial_json) silent.delete(at)
    return chunk({ tool_calls: [{ index, function: { arguments: partial_json } }] })
  }
  return {
    usage: (): TokenUsage | null => anthropicUsage(told),
    told: (): Fields | undefined => (Object.keys(told).length > 0 ? told : undefined),
    piece: (event: Fields): ChatChunk | undefined => {
      if (event.type === 'message_start') {
        const message = (event.message ?? {}) as Fields
        ;({ model, id } = message)
        told = { ...(message.usage as object | undefined) }
        return chunk({ role: 'assistant', content: '' })
      }
      if (event.type === 'content_block_start') return begun(event)
      if (event.type === 'content_block_delta') return grown(event)
      if (event.type === 'content_block_stop') return ended(event.index)
      if (event.type !== 'message_delta') return undefined
      told = { ...told, ...defined((event.usage ?? {}) as Fields) }
      const { stop_reason } = (event.delta ?? {}) as Fields
      if (typeof stop_reason !== 'string') return undefined
      return chunk({}, FINISHED[stop_reason] ?? 'stop')
    },
  }
}

/** What the end does not tell stays as the beginning told it. */
const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** A whole answer as the events it would have come in. */
export function* eventsOf(message: Fields): Generator<Fields, undefined> {
  const { content, stop_reason, usage } = message
  yield { type: 'message_start', message }
  for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
    yield { type: 'content_block_start', index, content_block: block }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason }, usage }
}
