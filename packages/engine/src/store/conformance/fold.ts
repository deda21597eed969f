import { countDay } from '@panoptes/engine/demo'
import type { Agent, Counters, SessionSummary, StoredEvent } from '@panoptes/schema'
import { countedState } from '@panoptes/schema/reading'
import { agentsProjection, MemoryRows, sessionsProjection, toAgent } from '../projections/index.ts'

export interface Folded {
  readonly counters: Counters
  readonly agents: readonly Agent[]
  readonly sessions: readonly SessionSummary[]
}

/**
 * Folds the events in memory in one go: the counters with an independent counter and a count of the agents,
 * everything else with the projections.
 */
export function fold(events: readonly StoredEvent[]): Folded {
  const day = countDay()
  const agents = new MemoryRows(agentsProjection)
  const sessions = new MemoryRows(sessionsProjection)
  for (const event of events) {
    day.add(event)
    agentsProjection.apply(agents, event)
    sessionsProjection.apply(sessions, event)
  }
  const shown = agents.entries().flatMap(([, row]) => toAgent(row) ?? [])
  const helpers = shown.filter(({ id }) => id !== 'main').map(countedState)
  const of = (state: string) => helpers.filter((each) => each === state).length
  return {
    counters: {
      ...day.counters(),
      agents_spawned: helpers.length,
      agents_done: of('done'),
      agents_failed: of('failed'),
      agents_stopped: of('stopped'),
    },
    agents: shown,
    sessions: sessions.entries().map(([, row]) => row),
  }
}
