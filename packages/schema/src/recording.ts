import type { Agent, Timeline } from './agent.ts'
import type { StoredEvent } from './event.ts'
import type { SessionSummary } from './session.ts'

/**
 * The content of a replay file, written by the command and read by the page inside it. Lists are
 * oldest first.
 */
export interface Recording {
  readonly version: 1
  readonly from: number
  readonly to: number
  readonly sessions: readonly SessionSummary[]
  readonly timeline: Timeline
  readonly events: readonly StoredEvent[]
  /** The agents at some moments of the span. */
  readonly checkpoints: readonly { readonly ts: number; readonly agents: readonly Agent[] }[]
}
