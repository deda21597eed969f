import type { StoredEvent } from '@panoptes/schema'

/** The event that reports that today's budget is nearly used up. */
export const budgetEvent = (about: Partial<StoredEvent> = {}): StoredEvent => ({
  v: 1,
  key: 'k',
  seq: 1,
  ts: 1_795_000_000_000,
  event: 'budget',
  source: 'panoptes',
  host: 'h',
  session_id: 'budgets-2026-11-16',
  budget: 'Today',
  level: 'near',
  spent_usd: 20,
  limit_usd: 25,
  ...about,
})
