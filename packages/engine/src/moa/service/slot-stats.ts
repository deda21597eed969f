import type { MoaTurn, SlotStats, TurnSlot } from '@panoptes/schema'
import { isLeftOut } from '../stored-turn.ts'

const MOST_TIMES = 500

/**
 * Computes how each slot of a preset performed in these turns, which must come newest first. Slots
 * that were not asked do not count.
 */
export function slotStats(turns: readonly MoaTurn[]): SlotStats[] {
  const bySlot = new Map<string, TurnSlot[]>()
  for (const turn of turns.toReversed())
    for (const slot of turn.slots) {
      if (isLeftOut(slot)) continue
      const key = `${slot.role}\0${slot.label}`
      const existing = bySlot.get(key)
      if (existing) existing.push(slot)
      else bySlot.set(key, [slot])
    }
  return [...bySlot.values()]
    .flatMap((calls) => computeStats(calls))
    .sort((a, b) => (a.role === b.role ? 0 : a.role === 'reference' ? -1 : 1))
}

function computeStats(calls: readonly TurnSlot[]): SlotStats[] {
  const [first] = calls
  if (first === undefined) return []
  const times = calls.map(({ started_at, ended_at, error }) =>
    error === null && ended_at !== null ? ended_at - started_at : null,
  )
  const good = times.filter((ms) => ms !== null).sort((a, b) => a - b)
  const costs = calls.flatMap(({ cost_micro_usd }) => (cost_micro_usd === null ? [] : [cost_micro_usd]))
  const stopped = calls.filter(({ error }) => error?.class === 'skipped').length
  const sum = costs.reduce((total, cost) => total + cost, 0)
  return [
    {
      role: first.role,
      label: first.label,
      calls: calls.length,
      failed: calls.filter(({ error }) => error !== null && error.class !== 'skipped').length,
      ...(stopped > 0 ? { stopped } : {}),
      p50_ms: percentile(good, 0.5),
      p95_ms: percentile(good, 0.95),
      cost_micro_usd: costs.length === 0 ? null : Math.round(sum / costs.length),
      times_ms: times.slice(-MOST_TIMES),
    },
  ]
}

const percentile = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null
