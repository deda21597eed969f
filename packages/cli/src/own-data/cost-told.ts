import type { CostRow } from '@panoptes/schema'

const MICRO = 1_000_000

/** What was spent; what has no price is said, since it is not nothing. */
export const costTold = (row: CostRow) => ({
  name: row.name,
  sessions: row.sessions,
  replies: row.replies,
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  cache_read: row.cache_read,
  cache_write: row.cache_write,
  usd: row.cost_micro_usd / MICRO,
  ...(row.cost_unknown + row.usage_unknown > 0
    ? { replies_of_unknown_cost: row.cost_unknown + row.usage_unknown }
    : {}),
})
