import type { StoredMessage } from './rows.ts'
import type { SessionRow } from './session-metadata.ts'

/** A session as a store lists it. */
export interface ListedRow {
  readonly id: string
  readonly parent: string | null
  /** The time of its last change. */
  readonly at: number
  /** Changes whenever the session does. */
  readonly text: string
  readonly place: string
}

/**
 * Where OpenCode keeps sessions: its database, or the files of versions before it. Methods throw the errors
 * of reading.
 */
export interface Store {
  /** The path named in error messages. */
  readonly path: string
  rows(signal?: AbortSignal): Promise<readonly ListedRow[]>
  session(id: string): Promise<SessionRow | undefined>
  /** The ids of a session's children. */
  children(id: string): Promise<readonly string[]>
  messages(session: string, signal?: AbortSignal): AsyncIterable<StoredMessage>
}
