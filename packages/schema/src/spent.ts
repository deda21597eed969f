import type { Spent } from './past.ts'

/** Where adding up begins. No validator is loaded: threads and the page use this alone. */
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
