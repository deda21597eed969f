import type { Message, PastSession, Result, SessionRef } from '@panoptes/schema'

/** How a session began: the messages of its own agent up to a number of turns, results of the last one included. */
export interface Opening {
  readonly session: PastSession
  readonly messages: readonly Message[]
}

/** What a session did, in numbers. */
export interface SessionWork extends SessionRef {
  readonly title: string | null
  readonly project: string | null
  readonly started_at: number | null
  readonly last_at: number | null
  readonly ended_at: number | null
  /** Replies of every agent in it. */
  readonly turns: number
  readonly tool_calls: number
  readonly errors: number
  /** Null where some are unknown. */
  readonly tokens: number | null
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly errors: number }[]
}

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
