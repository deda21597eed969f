import { agentsProjection } from './agents/index.ts'
import { countersProjection } from './counters.ts'
import type { Projection } from './projection.ts'
import { sessionsProjection } from './sessions.ts'
import { toolsProjection } from './tools.ts'

export {
  type AgentsRow,
  ALIVE,
  agentsProjection,
  CLOSED_SESSION,
  ENDED,
  HIDDEN_SESSION,
  OPEN_SESSION,
  shownAgent,
} from './agents/index.ts'
export { COUNTERS_KEY, countersProjection, zeroCounters } from './counters.ts'
export { MemoryRows } from './memory-rows.ts'
export { type Place, type Projection, type Rows, rowKey } from './projection.ts'
export { sessionsProjection } from './sessions.ts'

/** Every projection the ledger keeps. A new one is a file here and a line in this list. */
export const projections = [
  countersProjection,
  sessionsProjection,
  agentsProjection,
  toolsProjection,
] as unknown as readonly Projection<object>[]
export { shownTool, type ToolRow } from './tools.ts'
