import type { TraceLine } from '@panoptes/engine/store'
import type { Result, TracedSession, TraceRecord } from '@panoptes/schema'

export interface ReadRequest {
  readonly session: string
  /** Selects only the lines of the turn with this id or id prefix. */
  readonly turn?: string | undefined
  /** Selects only this many of the newest lines; `older` counts the rest. */
  readonly most?: number | undefined
}

export interface ReadTraces {
  /** Records in the order they were written. */
  readonly records: readonly TraceRecord[]
  /** Number of older records that were left out. */
  readonly older: number
  /** Number of lines that are incomplete or not ours. */
  readonly unreadable: number
}

/**
 * Where turns are traced: files on this computer, or the event store of a space that hubs share.
 */
export interface TraceStore {
  /** The folder of the traces; null if they are in the event store. */
  readonly folder: string | null
  /**
   * Throws if the line could not be written. Otherwise resolves with a problem that occurred on the
   * side, such as a failed cleanup.
   */
  readonly put: (line: TraceLine) => Promise<string | null>
  /**
   * Number of files or stored lines that were deleted since the start because of the size limit.
   */
  readonly removed: () => number
  readonly read: (wish: ReadRequest) => Promise<Result<ReadTraces>>
  /** Sessions with a trace, newest first, optionally only those whose ids have this prefix. */
  readonly sessions: (begin?: string) => Promise<Result<readonly TracedSession[]>>
  /** Finds the session of the turn whose id has this prefix. */
  readonly findSession: (turn: string) => Promise<Result<string | null>>
  /** Deletes the traces of these sessions and returns how many lines that were. */
  readonly forget: (sessions: readonly string[]) => Promise<Result<number>>
  readonly bytes: () => Promise<Result<number>>
}
