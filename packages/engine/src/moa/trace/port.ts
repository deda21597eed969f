import type { TraceLine } from '@panoptes/engine/ledger'
import type { Result, TracedSession, TraceRecord } from '@panoptes/schema'

export interface ReadWish {
  readonly session: string
  /** Only the lines of the turn whose id this is, or begins with this. */
  readonly turn?: string | undefined
  /** The newest so many; the rest is said to be there. */
  readonly most?: number | undefined
}

export interface ReadTraces {
  /** In the order they were written. */
  readonly records: readonly TraceRecord[]
  /** Older ones that were left out. */
  readonly older: number
  /** Lines that are none of ours, or not whole. */
  readonly unreadable: number
}

/** Where turns are written down: files of a home, or the ledger of a space that hubs share. */
export interface KeptTraces {
  /** Null where they are in the ledger. */
  readonly folder: string | null
  /** Throws where the line is not written; answers what went wrong beside that. */
  readonly put: (line: TraceLine) => Promise<string | null>
  /** Files, or lines of a ledger, that went since the start because all together were too much. */
  readonly removed: () => number
  readonly read: (wish: ReadWish) => Promise<Result<ReadTraces>>
  /** Those of which something was written down, the newest first; where a beginning of their ids is given, only those. */
  readonly sessions: (begin?: string) => Promise<Result<readonly TracedSession[]>>
  /** The session of the turn whose id begins so. */
  readonly sessionOf: (turn: string) => Promise<Result<string | null>>
  /** Takes what was written down of these sessions away, and tells how many lines that were. */
  readonly forget: (sessions: readonly string[]) => Promise<Result<number>>
  readonly bytes: () => Promise<Result<number>>
}
