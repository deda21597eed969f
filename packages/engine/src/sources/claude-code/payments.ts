import type { Message, TokenUsage } from '@panoptes/schema'

/**
 * Tracks the usage counted for each reply of a session. A reply that occurs again anywhere adds only what was
 * not counted yet.
 */
export class Payments {
  readonly #paid = new Map<string, TokenUsage | null>()

  /** Returns a reply with its uncounted usage. A reply that adds nothing is a copy and has no model. */
  pay(reply: Message): Message {
    if (reply.id === '') return reply
    const paid = this.#paid.get(reply.id)
    const most = largest(paid ?? null, reply.usage)
    this.#paid.set(reply.id, most)
    if (paid === undefined) return reply
    const usage = difference(most, paid)
    return usage === null ? { ...reply, usage, model: null } : { ...reply, usage }
  }
}

const FIELDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h', 'reasoning'] as const

const toUsage = (count: (field: keyof TokenUsage) => number | null): TokenUsage => {
  const [input, output, cache_read, cache_write, cache_write_1h, reasoning] = FIELDS.map(count)
  return {
    input: input ?? null,
    output: output ?? null,
    cache_read: cache_read ?? null,
    cache_write: cache_write ?? null,
    cache_write_1h: cache_write_1h ?? null,
    reasoning: reasoning ?? null,
  }
}

/** Returns the larger of two usages of one reply, because only the last row's usage is final. */
export function largest(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (a === null || b === null) return a ?? b
  return toUsage((field) => {
    const [one, other] = [a[field], b[field]]
    return one === null || other === null ? (one ?? other) : Math.max(one, other)
  })
}

function difference(most: TokenUsage | null, paid: TokenUsage | null): TokenUsage | null {
  if (most === null || paid === null) return most
  if (FIELDS.every((field) => (most[field] ?? 0) === (paid[field] ?? 0))) return null
  return toUsage((field) => (most[field] === null ? null : most[field] - (paid[field] ?? 0)))
}
