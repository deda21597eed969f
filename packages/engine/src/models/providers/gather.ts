import type { TokenUsage } from '@panoptes/schema'
import type { ChatChunk, ChatMessage, ChatReply } from './port.ts'

type Fields = Record<string, unknown>

/** Characters that one answer has at most. */
const MOST = 16_777_216
/** Pieces of it, also empty ones. */
const MOST_PIECES = 1_000_000
/** What a piece counts at least, however little it says. */
const LEAST = 64

const REASONING = ['reasoning_content', 'reasoning']

const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given)

/** Whether a piece holds anything of an answer. */
export function says({ choices }: ChatChunk): boolean {
  const delta = choices[0]?.delta
  for (const field in delta) {
    const value = delta[field]
    if (field !== 'role' && value !== null && value !== '') return true
  }
  return false
}

/** Puts the pieces of an answer together. */
export class Gathered {
  text = ''
  usage: TokenUsage | null = null
  finishReason: string | null = null
  #reasoning = ''
  #refusal = ''
  #model: string | null = null
  #size = 0
  #pieces = 0
  #thinksIn: string | undefined
  readonly #calls = new Map<number, Fields>()
  readonly #more: Fields = {}

  #isBegun = false

  /** Whether it is the first piece that says something. */
  begins(chunk: ChatChunk): boolean {
    if (this.#isBegun || !says(chunk)) return false
    this.#isBegun = true
    return true
  }

  add(chunk: ChatChunk): void {
    this.#pieces += 1
    if (typeof chunk.model === 'string' && chunk.model !== '') this.#model = chunk.model
    // Of several answers to one question the first is the answer.
    const choice = chunk.choices.find(({ index }) => index === 0)
    if (choice === undefined) return
    if (choice.finish_reason) this.finishReason = choice.finish_reason
    for (const field of Object.keys(choice.delta)) this.#take(field, choice.delta[field])
  }

  isTooLarge(): boolean {
    return this.#size > MOST || this.#pieces > MOST_PIECES
  }

  #take(field: string, value: unknown): void {
    if (value === null || value === undefined || field === 'role') return
    if (field === 'tool_calls' && Array.isArray(value)) for (const call of value) this.#call(call)
    else if (typeof value === 'string') this.#say(field, value)
    else if (Array.isArray(value)) {
      const before = this.#more[field]
      this.#size += value.length * LEAST
      this.#more[field] = Array.isArray(before) ? before.concat(value) : value
    } else this.#more[field] = value
  }

  #say(field: string, value: string): void {
    this.#size += value.length
    if (field === 'content') this.text += value
    else if (field === 'refusal') this.#refusal += value
    else if (REASONING.includes(field)) {
      // Some say the same in two fields.
      this.#thinksIn ??= field
      if (this.#thinksIn === field) this.#reasoning += value
    } else this.#more[field] = value
  }

  /** A call comes in pieces: its name first, then its arguments bit by bit. */
  #call(piece: Fields | null): void {
    if (typeof piece !== 'object' || piece === null) return
    const { index, function: made, ...rest } = piece
    const at = this.#place(index, rest.id)
    const before = this.#calls.get(at) ?? { type: 'function', function: { name: '', arguments: '' } }
    const now = before.function as { name: string; arguments: string }
    const more = (made ?? {}) as { name?: unknown; arguments?: unknown }
    const given = textOf(more.arguments)
    this.#size += given.length + LEAST
    this.#calls.set(at, {
      ...before,
      ...rest,
      function: {
        ...now,
        ...more,
        name: typeof more.name === 'string' && more.name !== '' ? more.name : now.name,
        arguments: now.arguments + given,
      },
    })
  }

  /** Some number all their calls 0, and some none; another id is another call. */
  #place(index: unknown, id: unknown): number {
    const at = typeof index === 'number' ? index : this.#calls.size
    const there = this.#calls.get(at)?.id
    const isOther = typeof id === 'string' && id !== '' && there !== undefined && there !== id
    return isOther ? Math.max(...this.#calls.keys()) + 1 : at
  }

  reply(): ChatReply {
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call)
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
