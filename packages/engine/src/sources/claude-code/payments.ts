import type { Message, TokenUsage } from '@panoptes/schema'

/** What was paid for each reply of a session. A reply that is told again, wherever that is, costs only what was not yet told. */
export class Payments {
  readonly #paid = new Map<string, TokenUsage | null>()

  /** A reply with what is still to be paid for it. One that adds nothing is a copy, and no model answered it. */
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

const usageOf = (count: (field: keyof TokenUsage) => number | null): TokenUsage => {
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

/** Of two usages of one reply the larger counts: only the last row's is final. */
export function largest(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (a === null || b === null) return a ?? b
  return usageOf((field) => {
    const [one, other] = [a[field], b[field]]
    return one === null || other === null ? (one ?? other) : Math.max(one, other)
  })
}

function difference(most: TokenUsage | null, paid: TokenUsage | null): TokenUsage | null {
  if (most === null || paid === null) return most
  if (FIELDS.every((field) => (most[field] ?? 0) === (paid[field] ?? 0))) return null
  return usageOf((field) => (most[field] === null ? null : most[field] - (paid[field] ?? 0)))
}
