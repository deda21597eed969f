import { countDay } from '@panoptes/engine/demo'
import type { Agent, Counters, SessionSummary, StoredEvent } from '@panoptes/schema'
import { agentsProjection, MemoryRows, sessionsProjection, shownAgent } from '../projections/index.ts'

export interface Folded {
  readonly counters: Counters
  readonly agents: readonly Agent[]
  readonly sessions: readonly SessionSummary[]
}

/** What the events amount to, in memory and in one go: the counters by a counter of the demo's own, the rest by the projections. */
export function fold(events: readonly StoredEvent[]): Folded {
  const day = countDay()
  const agents = new MemoryRows(agentsProjection)
  const sessions = new MemoryRows(sessionsProjection)
  for (const event of events) {
    day.add(event)
    agentsProjection.apply(agents, event)
    sessionsProjection.apply(sessions, event)
  }
  return {
    counters: day.counters(),
    agents: agents.entries().flatMap(([, row]) => shownAgent(row) ?? []),
    sessions: sessions.entries().map(([, row]) => row),
  }
}
