import type { SessionWork } from '@panoptes/engine/ledger'
import type { Message, PastSession, Result, SessionRef } from '@panoptes/schema'

/** How a session began: the messages of its own agent up to a number of turns, results of the last one included. */
export interface Opening {
  readonly session: PastSession
  readonly messages: readonly Message[]
}

export type { SessionWork }

export interface WorkQuery {
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** Milliseconds, of when it was last active; inclusive. */
  readonly since?: number | undefined
  readonly of?: readonly SessionRef[] | undefined
  readonly limit: number
}

/** What templates ask of past sessions. Whoever opens templates gives it, and no method throws. */
export interface Past {
  readonly opening: (session: SessionRef, turns: number) => Promise<Result<Opening>>
  /** The newest first. */
  readonly works: (query: WorkQuery) => Promise<Result<readonly SessionWork[]>>
}
