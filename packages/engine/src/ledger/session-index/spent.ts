import type { Session, Spent } from '@panoptes/schema'

export const nothingSpent = (): Spent => ({
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  reasoning: 0,
  cost_micro_usd: 0,
  usage_unknown: 0,
  cost_unknown: 0,
})

/** What a session took: what its source says of the whole goes before the sum of its replies. */
export function spentOf({ usage = null, cost_micro_usd: cost = null }: Session, replies: Spent): Spent {
  const priced = cost === null ? {} : { cost_micro_usd: cost, cost_unknown: 0 }
  if (usage === null) return { ...replies, ...priced }
  return {
    input: usage.input ?? 0,
    output: usage.output ?? 0,
    cache_read: usage.cache_read ?? 0,
    cache_write: usage.cache_write ?? 0,
    reasoning: usage.reasoning ?? 0,
    cost_micro_usd: 0,
    usage_unknown: 0,
    cost_unknown: 1,
    ...priced,
  }
}
