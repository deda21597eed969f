import type { Told } from './about.ts'
import type { StoredMessage } from './rows.ts'

/** A session as a store lists it. */
export interface ListedRow {
  readonly id: string
  readonly parent: string | null
  /** When something of it was last written. */
  readonly at: number
  /** Changes whenever something of it does. */
  readonly text: string
  readonly place: string
}

/** Where OpenCode keeps sessions: its database, or the files of versions before it. Methods throw what reading throws. */
export interface Store {
  /** What is said to be damaged, or no longer there. */
  readonly path: string
  rows(signal?: AbortSignal): Promise<readonly ListedRow[]>
  session(id: string): Promise<Told | undefined>
  /** The ids of the sessions that a session made. */
  children(id: string): Promise<readonly string[]>
  messages(session: string, signal?: AbortSignal): AsyncIterable<StoredMessage>
}
