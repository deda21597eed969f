import type { Result, TracedSession } from '@panoptes/schema'

/** A fully recorded call of a turn: its record as JSON. */
export interface TraceLine {
  readonly session: string
  readonly turn: string
  readonly json: string
}

export interface TraceQuery {
  readonly session: string
  /** This selects only lines of the turn with this id or an id that begins with it. */
  readonly turn?: string | undefined
  /** Returns at most this many of the newest lines, limited in bytes too, but at least one. */
  readonly most: number
  readonly mostBytes: number
}

/** The limits for lines: per session and in total. */
export interface TraceBounds {
  readonly ofSession: number
  readonly ofAll: number
}

/** Traces of turns that hubs share. They are not part of the log. No method throws. */
export interface TraceLines {
  /**
   * Adds a line, then drops the oldest lines while a limit is exceeded, but never the new one. Returns how
   * many were dropped.
   */
  put(line: TraceLine, bounds: TraceBounds): Promise<Result<number>>
  /** Returns lines in the order they were written, and how many older ones were left out. */
  read(query: TraceQuery): Promise<Result<{ readonly lines: readonly string[]; readonly older: number }>>
  /** Lists sessions whose ids begin with this text, newest first. */
  sessions(begin: string, limit: number): Promise<Result<readonly Omit<TracedSession, 'file'>[]>>
  /** Finds the session of the newest line of a turn whose id begins with this text. */
  findSession(turn: string): Promise<Result<string | null>>
  bytes(): Promise<Result<number>>
  /** Removes all lines of these sessions and returns how many there were. */
  forget(sessions: readonly string[]): Promise<Result<number>>
}
