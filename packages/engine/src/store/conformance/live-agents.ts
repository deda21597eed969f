import type { Agent, StoredEvent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { agentsProjection, MemoryRows, toAgent } from '../projections/index.ts'

const RECENT_MS = 600_000

/**
 * Returns what the live view showed after these events: the agents that were alive, and those that ended in
 * the ten minutes before.
 */
export function shownAfter(events: Iterable<StoredEvent>, at: number): readonly Agent[] {
  const rows = new MemoryRows(agentsProjection)
  for (const each of events) agentsProjection.apply(rows, each)
  return rows
    .entries()
    .flatMap(([, row]) => toAgent(row) ?? [])
    .filter(({ state, ended_at, lost_at }) => isAlive(state) || (lost_at ?? ended_at ?? 0) >= at - RECENT_MS)
}

/**
 * Returns the clock after a seq: the time that half of the newest stamps have reached, or that half of an
 * earlier block of 256 reached.
 */
export function lateness(events: readonly StoredEvent[]): number {
  const middles = [middle(events.slice(-15))]
  for (let end = 256; end <= events.length; end += 256) middles.push(middle(events.slice(end - 256, end)))
  return Math.max(...middles)
}

function middle(events: readonly StoredEvent[]): number {
  const stamps = events.map(({ ts }) => ts).sort((a, b) => a - b)
  return stamps[Math.floor((stamps.length - 1) / 2)] ?? 0
}

/** Sorts agents by name, so that order does not matter and a difference names the agent. */
export const byName = (agents: readonly Agent[]) =>
  Object.fromEntries(agents.map((agent) => [`${agent.source} ${agent.session_id} ${agent.id}`, agent]))
