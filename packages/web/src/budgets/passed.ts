import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'

/** A level of a budget that was just passed. */
export interface Passed {
  readonly key: string
  readonly name: string
  readonly level: 'near' | 'over'
  readonly spent: number
  readonly limit: number
}

/** What was passed before the page was opened, or while it was away for long, is no news. */
const FRESH_MS = 60_000
const MICRO = 1_000_000

/** What events say of budgets that is news. A budget that is used up says no longer that it nearly is. */
export function passedIn(events: readonly StoredEvent[], now: number): readonly Passed[] {
  const found = new Map<string, Passed>()
  for (const event of events) {
    if (!isKind(event, 'budget') || now - event.ts > FRESH_MS) continue
    const { key, budget, level, spent_usd, limit_usd } = event
    if (!budget || !level || spent_usd == null || limit_usd == null) continue
    const name = JSON.stringify([budget, limit_usd])
    if (level === 'near' && found.get(name)?.level === 'over') continue
    found.set(name, { key, name: budget, level, spent: spent_usd * MICRO, limit: limit_usd * MICRO })
  }
  return [...found.values()]
}
