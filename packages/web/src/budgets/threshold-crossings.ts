import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'

/** A budget level that was just reached. */
export interface ThresholdCrossing {
  readonly key: string
  readonly name: string
  readonly level: 'near' | 'over'
  readonly spent: number
  readonly limit: number
}

/** Levels reached before the page was opened, or while it was away for long, are not announced. */
const FRESH_MS = 60_000
const MICRO = 1_000_000

/** Selects the budget events to announce. A used-up budget replaces the notice that it is nearly used up. */
export function findThresholdCrossings(
  events: readonly StoredEvent[],
  now: number,
): readonly ThresholdCrossing[] {
  const found = new Map<string, ThresholdCrossing>()
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
