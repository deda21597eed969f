import type { Message, TokenUsage } from '@panoptes/schema'

/**
 * The client writes a row for each block of a reply, all with the reply's id and usage, and the results of its calls in between.
 * Here they become one message again, followed by the results. Of the usages the largest holds: only the last row's is final.
 */
export class Replies {
  #reply: Message | undefined
  #after: Message[] = []
  /** Replies that were given out: a copy of one of them must not be paid for again. */
  readonly #paid = new Set<string>()

  /** The messages that are complete now that this one came. */
  take(message: Message): readonly Message[] {
    if (this.#reply !== undefined && message.role === 'assistant' && message.id === this.#reply.id) {
      this.#reply = joined(this.#reply, message)
      return []
    }
    if (message.role === 'tool' && this.#reply !== undefined) {
      this.#after.push(message)
      return []
    }
    const complete = this.end()
    if (message.role !== 'assistant') return [...complete, message]
    this.#reply = message
    return complete
  }

  end(): readonly Message[] {
    const complete = this.#reply === undefined ? this.#after : [this.#paidOnce(this.#reply), ...this.#after]
    this.#reply = undefined
    this.#after = []
    return complete
  }

  #paidOnce(reply: Message): Message {
    if (this.#paid.has(reply.id)) return { ...reply, usage: null }
    if (reply.usage !== null) this.#paid.add(reply.id)
    return reply
  }
}

const joined = (reply: Message, next: Message): Message => ({
  ...reply,
  content: [...reply.content, ...next.content],
  usage: largest(reply.usage, next.usage),
})

function largest(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (a === null || b === null) return a ?? b
  const most = (field: keyof TokenUsage): number | null =>
    a[field] === null ? b[field] : b[field] === null ? a[field] : Math.max(a[field], b[field])
  return {
    input: most('input'),
    output: most('output'),
    cache_read: most('cache_read'),
    cache_write: most('cache_write'),
    cache_write_1h: most('cache_write_1h'),
    reasoning: most('reasoning'),
  }
}
