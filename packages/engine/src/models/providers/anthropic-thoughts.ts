type Block = Readonly<Record<string, unknown>>

const FORMAT = 'anthropic-claude-v1'
const THOUGHTS = ['thinking', 'redacted_thinking']

export const isThought = ({ type }: Block): boolean => THOUGHTS.includes(String(type))

/**
 * Formats a thinking block for clients in OpenRouter's format, which several clients support and
 * send back. `index` is its position in the answer.
 */
export const asDetail = (block: Block, index: number): Block =>
  block.type === 'redacted_thinking'
    ? { type: 'reasoning.encrypted', data: block.data, format: FORMAT, index }
    : {
        type: 'reasoning.text',
        text: block.thinking,
        ...(typeof block.signature === 'string' ? { signature: block.signature } : {}),
        format: FORMAT,
        index,
      }

interface Thought {
  readonly at: number
  /** Identifies the block. */
  readonly sign: string
  readonly block: Block
}

/**
 * Extracts thinking blocks from what a client sent back. Unsigned blocks and those of other
 * providers are dropped, because they would be rejected.
 */
export function thoughtsIn(details: unknown): readonly Thought[] {
  if (!Array.isArray(details)) return []
  return details.flatMap((detail, place): Thought[] => {
    if (typeof detail !== 'object' || detail === null) return []
    const { type, text, signature, data, format, index } = detail as Block
    if (typeof format === 'string' && format !== FORMAT) return []
    const at = typeof index === 'number' && index >= 0 ? index : place
    if (type === 'reasoning.text' && typeof signature === 'string' && signature !== '')
      return [
        {
          at,
          sign: signature,
          block: { type: 'thinking', thinking: typeof text === 'string' ? text : '', signature },
        },
      ]
    return type === 'reasoning.encrypted' && typeof data === 'string'
      ? [{ at, sign: data, block: { type: 'redacted_thinking', data } }]
      : []
  })
}

/** Inserts thinking blocks where they were between texts and calls. */
export function withThoughts(thoughts: readonly Thought[], answerBlocks: readonly Block[]): readonly Block[] {
  if (thoughts.length === 0 || answerBlocks.some(isThought)) return answerBlocks
  const blocks = [...answerBlocks]
  for (const { at, block } of thoughts.toSorted((a, b) => a.at - b.at))
    blocks.splice(Math.min(at, blocks.length), 0, block)
  return blocks
}

const MOST_ANSWERS = 4_096
const MOST_CHARACTERS = 16_777_216

/**
 * Caches the thinking blocks before tool calls, per session, for clients that do not send them
 * back.
 */
export class ThoughtCache {
  readonly #entries = new Map<string, { readonly details: readonly unknown[]; readonly size: number }>()
  #size = 0

  store(session: string, calls: unknown, details: unknown): void {
    if (!Array.isArray(calls) || !Array.isArray(details) || details.length === 0) return
    const size = JSON.stringify(details).length
    for (const name of listKeys(session, calls)) {
      this.#drop(name)
      this.#entries.set(name, { details, size })
      this.#size += size
    }
    for (const name of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ANSWERS && this.#size <= MOST_CHARACTERS) return
      this.#drop(name)
    }
  }

  of(session: string, calls: unknown): readonly unknown[] {
    if (!Array.isArray(calls)) return []
    for (const name of listKeys(session, calls)) {
      const found = this.#entries.get(name)
      if (found === undefined) continue
      this.#entries.delete(name)
      this.#entries.set(name, found)
      return found.details
    }
    return []
  }

  #drop(name: string): void {
    this.#size -= this.#entries.get(name)?.size ?? 0
    this.#entries.delete(name)
  }
}

const listKeys = (session: string, calls: readonly { readonly id?: unknown }[]): readonly string[] =>
  calls.flatMap((call) => (typeof call?.id === 'string' ? [`${session}\0${call.id}`] : []))
