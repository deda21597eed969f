import type { TokenUsage } from '@panoptes/schema'
import type { ChatChunk, ChatMessage, ChatReply } from './port.ts'

type Fields = Record<string, unknown>

/** The maximum number of characters of one answer. */
const MOST = 16_777_216
/** The maximum number of chunks, including empty ones. */
const MOST_PIECES = 1_000_000
/** The minimum size a chunk counts, however little it contains. */
const LEAST = 64

const REASONING = ['reasoning_content', 'reasoning']

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** True if a chunk contains any part of an answer. */
export function hasContent({ choices }: ChatChunk): boolean {
  const delta = choices[0]?.delta
  for (const field in delta) {
    const value = delta[field]
    if (field !== 'role' && value !== null && value !== '') return true
  }
  return false
}

/** Assembles the chunks of an answer. */
export class ReplyAssembler {
  text = ''
  usage: TokenUsage | null = null
  /** The provider's own usage object. */
  rawUsage: Readonly<Record<string, unknown>> | undefined
  finishReason: string | null = null
  #reasoning = ''
  #refusal = ''
  #model: string | null = null
  #size = 0
  #pieces = 0
  #thinksIn: string | undefined
  readonly #calls = new Map<number, Fields>()
  readonly #ids = new Map<string, number>()
  /**
   * The call of the last delta: its position, the index it came with, and the last character of its
   * arguments.
   */
  #last = { at: -1, index: undefined as unknown, end: '' }
  #top = -1
  readonly #more: Fields = {}
  readonly #lists = new Map<string, unknown[]>()

  #isBegun = false

  /** True for the first chunk with content. */
  isFirstContent(chunk: ChatChunk): boolean {
    if (this.#isBegun || !hasContent(chunk)) return false
    this.#isBegun = true
    return true
  }

  add(chunk: ChatChunk): void {
    this.#pieces += 1
    if (typeof chunk.model === 'string' && chunk.model !== '') this.#model = chunk.model
    // If a provider sends several alternatives, the first one is the answer.
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
      this.#size += value.length * LEAST + JSON.stringify(value).length
      const before = this.#lists.get(field) ?? []
      for (const one of value) before.push(one)
      this.#lists.set(field, before)
      this.#more[field] = before
    } else this.#more[field] = value
  }

  #say(field: string, value: string): void {
    this.#size += value.length
    if (field === 'content') this.text += value
    else if (field === 'refusal') this.#refusal += value
    else if (REASONING.includes(field)) {
      // Some models send the same thought in two fields.
      this.#thinksIn ??= field
      if (this.#thinksIn === field) this.#reasoning += value
    } else this.#more[field] = value
  }

  /** A call arrives in deltas: first its name, then its arguments piece by piece. */
  #call(piece: Fields | null): void {
    if (typeof piece !== 'object' || piece === null) return
    const { index, function: made, ...rest } = piece
    const at = this.#place(index, rest.id, (made as Fields | null | undefined)?.name)
    const args = toText((made as Fields | null | undefined)?.arguments)
    const end = args.trimEnd().at(-1) ?? (at === this.#last.at ? this.#last.end : '')
    this.#last = { at, index, end }
    this.#top = Math.max(this.#top, at)
    if (typeof rest.id === 'string') this.#ids.set(rest.id, at)
    const before = this.#calls.get(at) ?? { type: 'function', function: { name: '', arguments: '' } }
    const now = before.function as { name: string; arguments: string }
    const more = (made ?? {}) as { name?: unknown; arguments?: unknown }
    this.#size += args.length + LEAST
    this.#calls.set(at, {
      ...before,
      ...rest,
      function: {
        ...now,
        ...more,
        name: typeof more.name === 'string' && more.name !== '' ? more.name : now.name,
        arguments: now.arguments + args,
      },
    })
  }

  /**
   * Some providers send index 0 for every call or no index. Another id means another call, and
   * without ids so does another name.
   */
  #place(index: unknown, id: unknown, name: unknown): number {
    const { at, end } = this.#last
    if (typeof id === 'string' && id !== '') {
      const there = typeof index === 'number' ? this.#calls.get(index) : undefined
      const isFree = typeof index === 'number' && (there?.id === undefined || there.id === id)
      return isFree ? index : (this.#ids.get(id) ?? this.#top + 1)
    }
    if (typeof index === 'number') return index === this.#last.index ? at : index
    const last = this.#calls.get(at)?.function as { name: string } | undefined
    if (last === undefined) return this.#top + 1
    // Some providers repeat the name in each delta.
    const isOther =
      typeof name === 'string' && name !== '' && (last.name !== name || end === '' || end === '}')
    return isOther ? this.#top + 1 : at
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
      ...(this.rawUsage ? { rawUsage: this.rawUsage } : {}),
      model: this.#model,
    }
  }
}
