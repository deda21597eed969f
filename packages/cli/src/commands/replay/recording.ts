import type { Agent, SessionSummary, StoredEvent, Timeline } from '@panoptes/schema'

/** What a replay file holds, as the page inside it reads it. */
export interface Recording {
  readonly version: 1
  readonly from: number
  readonly to: number
  readonly sessions: readonly SessionSummary[]
  readonly timeline: Timeline
  /** Oldest first. */
  readonly events: readonly StoredEvent[]
  /** The agents at moments of the span, oldest first. */
  readonly checkpoints: readonly { readonly ts: number; readonly agents: readonly Agent[] }[]
}
