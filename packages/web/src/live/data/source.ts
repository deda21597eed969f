import type {
  Agent,
  AgentDetail,
  FileConflict,
  ReplayReply,
  SessionSummary,
  Timeline,
  ToolStats,
} from '@panoptes/schema'
import type { AgentRef } from './agent-key.ts'

/** Where the page reads the past: the server, or a recording within the page. */
export interface PastSource {
  /** Whether there is a live edge to return to. */
  readonly live: boolean
  readonly timeline: (from: number, to: number, slices: number, signal?: AbortSignal) => Promise<Timeline>
  /** The time of the next event after a moment, or of the last before it; null if there is none. */
  readonly step: (at: number, by: -1 | 1) => Promise<number | null>
  readonly replay: (at: number, signal?: AbortSignal) => Promise<ReplayReply>
  /** The panel data of an agent; `at` is null for now. */
  readonly detail: (ref: AgentRef, at: number | null, signal?: AbortSignal) => Promise<Detail | null>
}

export type Detail = AgentDetail

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
