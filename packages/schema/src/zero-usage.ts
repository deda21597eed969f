import type { Spent } from './past-sessions.ts'

/** The initial value of a sum. Workers and the page use only this, so no validator is loaded. */
export const createZeroSpent = (): Spent => ({
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  reasoning: 0,
  cost_micro_usd: 0,
  usage_unknown: 0,
  cost_unknown: 0,
})
