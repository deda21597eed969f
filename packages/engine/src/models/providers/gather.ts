import type { TokenUsage } from '@panoptes/schema'
import type { ChatChunk, ChatMessage, ChatReply } from './port.ts'

type Fields = Record<string, unknown>

/** Characters that one answer has at most. */
const MOST = 16_777_216

/** Puts the pieces of an answer together. */
export class Gathered {
  text = ''
  usage: TokenUsage | null = null
  finishReason: string | null = null
  #reasoning = ''
  #refusal = ''
  #model: string | null = null
  #size = 0
  readonly #calls: Fields[] = []
  readonly #more: Fields = {}

  add(chunk: ChatChunk): void {
    if (typeof chunk.model === 'string' && chunk.model !== '') this.#model = chunk.model
    const [choice] = chunk.choices
    if (choice === undefined) return
    if (choice.finish_reason) this.finishReason = choice.finish_reason
    for (const [field, value] of Object.entries(choice.delta)) this.#take(field, value)
  }

  isTooLarge(): boolean {
    return this.#size > MOST
  }

  #take(field: string, value: unknown): void {
    if (value === null || value === undefined || field === 'role') return
    if (typeof value === 'string') this.#size += value.length
    if (field === 'content' && typeof value === 'string') this.text += value
    else if (field === 'reasoning_content' || field === 'reasoning') this.#reasoning += String(value)
    else if (field === 'refusal') this.#refusal += String(value)
    else if (field === 'tool_calls' && Array.isArray(value)) for (const call of value) this.#call(call)
    else this.#more[field] = value
  }

  /** A call comes in pieces: its name first, then its arguments bit by bit. */
  #call(piece: Fields): void {
    const at = typeof piece.index === 'number' ? piece.index : this.#calls.length
    const { index: _index, function: made, ...rest } = piece
    const before = this.#calls[at] ?? { type: 'function', function: { name: '', arguments: '' } }
    const now = before.function as { name: string; arguments: string }
    const more = (made ?? {}) as { name?: string; arguments?: string }
    this.#size += more.arguments?.length ?? 0
    this.#calls[at] = {
      ...before,
      ...rest,
      function: {
        ...now,
        ...more,
        name: more.name || now.name,
        arguments: now.arguments + (more.arguments ?? ''),
      },
    }
  }

  reply(): ChatReply {
    const calls = this.#calls.filter((call) => call !== undefined)
    const message: ChatMessage = {
      role: 'assistant',
      content: this.text === '' && calls.length > 0 ? null : this.text,
      ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
      ...(this.#refusal === '' ? {} : { refusal: this.#refusal }),
      ...this.#more,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    return {
      message,
      text: this.text,
      finish_reason: this.finishReason,
      usage: this.usage,
      model: this.#model,
    }
  }
}
