import { type IndexChange, type IndexedMessage, indexText } from '@panoptes/engine/store'
import type { ReadPart } from './read-part.ts'

/**
 * A part on its way between threads, packed because copying very many small objects would take longer than
 * reading them.
 */
export interface PackedPart {
  /** Everything except the texts, as JSON. */
  readonly facts: string
  /** The concatenated texts in the encoding of the index. */
  readonly texts: Uint8Array
}

type Facts = readonly [
  id: string,
  agent_id: string,
  role: IndexedMessage['role'],
  ts: number | null,
  model: string | null,
  tools: readonly string[],
  errors: number,
  failed: readonly string[],
  usage: IndexedMessage['usage'],
  cost_micro_usd: number | null,
  /** The size of its text in bytes. */
  size: number,
]

type MessagesChange = Extract<IndexChange, { readonly type: 'messages' }>
type ChunkChange = Extract<IndexChange, { readonly type: 'chunk' }>
type PackedChange =
  | Exclude<IndexChange, MessagesChange | ChunkChange>
  | (Omit<MessagesChange, 'messages'> & { readonly messages: readonly Facts[] })
  /** `size` is the size of its data, which follows the texts before it; absent if it has none. */
  | (ChunkChange & { readonly size: number | undefined })
type Packed = Omit<ReadPart, 'changes'> & { readonly changes: readonly PackedChange[] }

export function packPart({ changes, ...rest }: ReadPart): PackedPart {
  texts.clear()
  const packed: Packed = {
    ...rest,
    changes: changes.map((change) => {
      if (change.type === 'messages')
        return {
          ...change,
          messages: change.messages.map((message) => toFacts(message, texts.add(message.text))),
        }
      if (change.type !== 'chunk') return change
      const { data, ...chunk } = change.chunk
      return { ...change, chunk, size: data && texts.put(data) }
    }),
  }
  return { facts: JSON.stringify(packed), texts: texts.bytes() }
}

export function unpackPart({ facts, texts }: PackedPart): ReadPart {
  const { changes, ...rest } = JSON.parse(facts) as Packed
  let at = 0
  const toMessage = (message: Facts): IndexedMessage => {
    const [id, agent_id, role, ts, model, tools, errors, failed, usage, cost_micro_usd, size] = message
    const text = texts.subarray(at, at + size)
    at += size
    return { id, agent_id, role, ts, model, text, tools, errors, failed, usage, cost_micro_usd }
  }
  return {
    ...rest,
    changes: changes.map((change) => {
      if (change.type === 'messages') return { ...change, messages: change.messages.map(toMessage) }
      if (change.type !== 'chunk') return change
      const { size, chunk, ...rest } = change
      if (size === undefined) return { ...rest, chunk }
      at += size
      return { ...rest, chunk: { ...chunk, data: texts.subarray(at - size, at) } }
    }),
  }
}

const toFacts = (message: IndexedMessage, size: number): Facts => [
  message.id,
  message.agent_id,
  message.role,
  message.ts,
  message.model,
  message.tools,
  message.errors,
  message.failed,
  message.usage,
  message.cost_micro_usd,
  size,
]

const encoder = new TextEncoder()
const MOST_BYTES_A_CHARACTER = 3
const AT_FIRST = 1_048_576

/** Concatenates texts as bytes and reuses its buffer. */
class Texts {
  #bytes = new Uint8Array(AT_FIRST)
  #end = 0

  add(text: IndexedMessage['text']): number {
    if (typeof text !== 'string') throw new Error('the text of a message was packed before')
    const words = indexText(text)
    const most = this.#end + words.length * MOST_BYTES_A_CHARACTER
    if (most > this.#bytes.length) this.#grow(most)
    const { written } = encoder.encodeInto(words, this.#bytes.subarray(this.#end))
    this.#end += written
    return written
  }

  put(data: Uint8Array): number {
    if (this.#end + data.length > this.#bytes.length) this.#grow(this.#end + data.length)
    this.#bytes.set(data, this.#end)
    this.#end += data.length
    return data.length
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#end)
  }

  clear(): void {
    this.#end = 0
  }

  #grow(least: number): void {
    const larger = new Uint8Array(Math.max(least, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}

const texts = new Texts()
