import type { AgentDetail, ReplayReply, Timeline } from '@panoptes/schema'
import type { AgentRef } from './key.ts'

/** Where the page reads the past from: the server, or a recording inside the page itself. */
export interface PastSource {
  /** Whether there is a live edge to come back to. */
  readonly live: boolean
  readonly timeline: (from: number, to: number, slices: number, signal?: AbortSignal) => Promise<Timeline>
  /** When the next event after a moment was, or the last one before it; null where there is none. */
  readonly step: (at: number, by: -1 | 1) => Promise<number | null>
  readonly replay: (at: number, signal?: AbortSignal) => Promise<ReplayReply>
  /** What the panel shows of an agent; `at` null is now. */
  readonly detail: (ref: AgentRef, at: number | null, signal?: AbortSignal) => Promise<Detail | null>
}

export type Detail = AgentDetail
