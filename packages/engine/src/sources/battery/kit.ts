import type { SessionSource } from '../port.ts'

/** The id of a session, and what was asked in it. */
export type Made = readonly [id: string, texts: readonly string[]]

/** A place where the agents of one source leave their sessions, and the source that reads it. */
export interface SourcePlace {
  readonly source: SessionSource
  readonly make: (sessions: Iterable<Made>) => unknown
  readonly append: (id: string, text: string) => unknown
  /** What is there of the last write is only a part. */
  readonly cut: (id: string) => unknown
  /** Adds a message whose text is no UTF-8, and one after it. */
  readonly garble: (id: string, after: string) => unknown
  readonly remove: (id: string) => unknown
  /** Another process that appends the next numbers to a session, until it is told to stop. It then says how many. */
  readonly write: (id: string) => Promise<() => Promise<number>>
  readonly close: () => unknown
}

export interface SourceKit {
  /** Nothing is made in the folder before a session is. */
  readonly open: (folder: string) => SourcePlace
}
