import type { EventsPage, StoredEvent } from '@panoptes/schema'
import type { Store } from '../store.ts'
import type { Break } from '../stream/tail.ts'

/** Reads one page of events from the server. */
export type ReadPage = (range: PageRange, signal: AbortSignal) => Promise<EventsPage>

export type PageRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** Before every seq there will ever be. */
export const NEWEST = Number.MAX_SAFE_INTEGER

export interface ListState {
  /** Changes whenever what the list answers may have changed. */
  readonly version: number
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly error: unknown
  /** How many rows there are, as far as is known. */
  readonly rows: number
  /** Whether `rows` is all there is, or more may be found further back. */
  readonly complete: boolean
  /** The oldest seq that was looked at, where the list is read backwards. */
  readonly lookedTo: number | null
  /** Whether rows are being read right now. */
  readonly reading: boolean
  /** How many came while the list was held. */
  readonly newer: number
}

/** Rows of events, newest first, that can be far more than memory holds. */
export interface EventList {
  readonly state: Store<ListState>
  readonly at: (index: number) => StoredEvent | undefined
  /** Whether the event of the row was forgotten. */
  readonly isGone: (index: number) => boolean
  /** A name for the row that stays the same while rows are added above it. */
  readonly keyAt: (index: number) => number
  readonly indexOf: (seq: number) => number | undefined
  /** Says which rows are in view; those that are missing are read. */
  readonly want: (from: number, to: number) => void
  /** While held, rows stay where they are and new ones are only counted. */
  readonly hold: (on: boolean) => void
  readonly take: (events: readonly StoredEvent[]) => void
  readonly onBreak: (gap: Break) => void
  /** After a failure: tries again to read what is in view. */
  readonly retry: () => void
  /** Forgets everything and reads it anew. */
  readonly reload: () => void
  readonly close: () => void
}

export const BLANK: ListState = {
  version: 0,
  phase: 'loading',
  error: null,
  rows: 0,
  complete: true,
  lookedTo: null,
  reading: true,
  newer: 0,
}
