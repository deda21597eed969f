import type { StoredEvent } from '@panoptes/schema'
import { agentsProjection } from './agents/projection.ts'
import { countersProjection } from './counters.ts'
import type { Projection, Rows } from './projection.ts'
import { sessionsProjection } from './sessions.ts'
import { createSubAgentCounts } from './sub-agent-counts.ts'
import { toolsProjection } from './tools.ts'

export {
  ALIVE,
  agentsProjection,
  CLOSED_SESSION,
  ENDED,
  HIDDEN_SESSION,
  OPEN_SESSION,
} from './agents/projection.ts'
export type { Row as AgentsRow } from './agents/row.ts'
export { isAgentRow, toAgent, toAgentText } from './agents/row.ts'
export { COUNTERS_KEY, countersProjection, zeroCounters } from './counters.ts'
export { MemoryRows } from './memory-rows.ts'
export { type Place, type Projection, type Rows, rowKey } from './projection.ts'
export { sessionsProjection } from './sessions.ts'

/**
 * Every projection that the store maintains. To add one, add a file here and a line in this list. Counters
 * come after the agents that they count.
 */
export const projections = [
  sessionsProjection,
  agentsProjection,
  countersProjection,
  toolsProjection,
] as unknown as readonly Projection<object>[]

/** Folds one event into the rows of every projection. */
export function foldEvent(
  findRows: (projection: Projection<object>) => Rows<object>,
  event: StoredEvent,
): void {
  const subAgents = createSubAgentCounts()
  for (const projection of projections) projection.apply(findRows(projection), event, subAgents)
}
export { type ToolRow, toToolStats } from './tools.ts'
