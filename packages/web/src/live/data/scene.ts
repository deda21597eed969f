import type { Agent, FileConflict, SessionSummary, ToolStats } from '@panoptes/schema'

/** Everything the graph and the table show: the agents at one moment. */
export interface Scene {
  /** The moment; null is now. */
  readonly at: number | null
  readonly agents: readonly Agent[]
  readonly sessions: readonly SessionSummary[]
  readonly tools: readonly ToolStats[]
  readonly conflicts: readonly FileConflict[]
}

export const EMPTY_SCENE: Scene = { at: null, agents: [], sessions: [], tools: [], conflicts: [] }
