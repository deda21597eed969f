import type { Result, TracedSession } from '@panoptes/schema'

/** A call of a turn, written down whole: its record as JSON. */
export interface TraceLine {
  readonly session: string
  readonly turn: string
  readonly json: string
}

export interface TraceQuery {
  readonly session: string
  /** Only lines of the turn whose id this is, or begins with this. */
  readonly turn?: string | undefined
  /** The newest so many, and together no more bytes than that, but one at least. */
  readonly most: number
  readonly mostBytes: number
}

/** What lines may take: of one session, and all together. */
export interface TraceBounds {
  readonly ofSession: number
  readonly ofAll: number
}

/** Traces of turns, where hubs share them. They are no part of the log. No method throws. */
export interface TraceLines {
  /** Adds a line, then the oldest go while there is more than may be, never this one; answers how many went. */
  put(line: TraceLine, bounds: TraceBounds): Promise<Result<number>>
  /** In the order they were written, and how many older ones were left out. */
  read(query: TraceQuery): Promise<Result<{ readonly lines: readonly string[]; readonly older: number }>>
  /** The sessions whose ids begin so, the newest first. */
  sessions(begin: string, limit: number): Promise<Result<readonly Omit<TracedSession, 'file'>[]>>
  /** The session of the newest line of a turn whose id begins so. */
  sessionOf(turn: string): Promise<Result<string | null>>
  bytes(): Promise<Result<number>>
  /** Takes out all lines of these sessions; answers how many. */
  forget(sessions: readonly string[]): Promise<Result<number>>
}
