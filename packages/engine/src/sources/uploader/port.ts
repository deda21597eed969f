import type { Result, SessionRef, TranscriptsReply } from '@panoptes/schema'

/** Who is told of this computer's sessions. No method throws. */
export interface TranscriptReceiver {
  /** What it was told to its end: fingerprints by id. */
  known(source: string, signal: AbortSignal): Promise<Result<ReadonlyMap<string, string>>>
  /** Changes, one JSON text a line. The same lines may come again. What is `invalid` never becomes right. */
  send(lines: string, signal: AbortSignal): Promise<Result<TranscriptsReply>>
}

export interface CopyStatus {
  /** Sessions that are known to have changed and were not told yet. */
  readonly waiting: number
  /** Since it began: sessions that were told, and those that were said to be gone. */
  readonly sent: number
  readonly dropped: number
  readonly bytes: number
  readonly problem: string | null
}

/** Tells a receiver what sessions this computer has, and what becomes of them. No method throws. */
export interface SessionCopy {
  /** From here on changes are told by themselves. */
  readonly follow: () => void
  /** Tells all that changed. */
  readonly refresh: (signal?: AbortSignal) => Promise<Result<null>>
  /** These are told no more, and are said to be gone. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<null>>
  readonly status: () => CopyStatus
  readonly close: () => Promise<void>
}
