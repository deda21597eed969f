import type { SessionWork } from '@panoptes/engine/store'
import type { Message, PastSession, Result, SessionRef } from '@panoptes/schema'

/**
 * The beginning of a session: its main agent's messages up to a number of turns, including the
 * results of the last.
 */
export interface Opening {
  readonly session: PastSession
  readonly messages: readonly Message[]
}

export type { SessionWork }

export interface WorkQuery {
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** Sessions whose last activity is at or after this time, in milliseconds. */
  readonly since?: number | undefined
  readonly of?: readonly SessionRef[] | undefined
  readonly limit: number
}

/** What templates need from past sessions, provided by the caller. No method throws. */
export interface Past {
  readonly opening: (session: SessionRef, turns: number) => Promise<Result<Opening>>
  /** Returns what sessions did, newest first. */
  readonly works: (query: WorkQuery) => Promise<Result<readonly SessionWork[]>>
}
