import type { Session, Spent } from '@panoptes/schema'
import type { IndexedMessage } from './port.ts'

type Reply = Pick<IndexedMessage, 'usage' | 'cost_micro_usd' | 'model'>

/** Adds the usage of one reply. */
export function spend(spent: Spent, { usage, cost_micro_usd: cost, model }: Reply): void {
  if (usage === null) {
    if (model !== null) spent.usage_unknown += 1
    return
  }
  spent.input += usage.input ?? 0
  spent.output += usage.output ?? 0
  spent.cache_read += usage.cache_read ?? 0
  spent.cache_write += usage.cache_write ?? 0
  spent.reasoning += usage.reasoning ?? 0
  if (cost === null) spent.cost_unknown += 1
  else spent.cost_micro_usd += cost
}

export function addSpent(sum: Spent, more: Spent): void {
  for (const name of Object.keys(sum) as (keyof Spent)[]) sum[name] += more[name]
}

/**
 * Returns the usage of a session. What its source reports for the whole takes precedence over the sum of its
 * replies.
 */
export function totalSpent({ usage = null, cost_micro_usd: cost = null }: Session, replies: Spent): Spent {
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
