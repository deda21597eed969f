import type { SessionSource } from '../port.ts'

/** A session id with its prompts. */
export type Made = readonly [id: string, texts: readonly string[]]

/** A place where the agents of one source leave their sessions, and the source that reads it. */
export interface SourcePlace {
  readonly source: SessionSource
  readonly make: (sessions: Iterable<Made>) => unknown
  readonly append: (id: string, text: string) => unknown
  /** Truncates the last write. */
  readonly cut: (id: string) => unknown
  /** Adds a message that is not valid UTF-8, and one after it. */
  readonly garble: (id: string, after: string) => unknown
  readonly remove: (id: string) => unknown
  /**
   * Starts another process that appends numbers to a session until it is stopped. The returned function stops
   * it and resolves with the count.
   */
  readonly write: (id: string) => Promise<() => Promise<number>>
  readonly close: () => unknown
}

export interface SourceKit {
  /** Nothing is created in the folder before a session is. */
  readonly open: (folder: string) => SourcePlace
}
