import type { EventsPage, StoredEvent } from '@panoptes/schema'
import type { Store } from '../store.ts'
import type { Break } from '../stream/tail.ts'

/** Reads one page of events from the server. */
export type ReadPage = (range: PageRange, signal: AbortSignal) => Promise<EventsPage>

export type PageRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** A cursor before every seq there will ever be. */
export const NEWEST = Number.MAX_SAFE_INTEGER

export interface ListState {
  /** Changes whenever the list may return something else. */
  readonly version: number
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly error: unknown
  /** The number of rows, as far as it is known. */
  readonly rows: number
  /** Whether `rows` is the total, or more may be found further back. */
  readonly complete: boolean
  /** The oldest seq searched so far, for a list that is read backwards. */
  readonly lookedTo: number | null
  /** Whether rows are being loaded. */
  readonly reading: boolean
  /** How many events arrived while the list was held. */
  readonly newer: number
}

/** Rows of events, newest first. There can be far more than fit in memory. */
export interface EventList {
  readonly state: Store<ListState>
  readonly at: (index: number) => StoredEvent | undefined
  /** Whether the event of the row was forgotten. */
  readonly isGone: (index: number) => boolean
  /** A key of the row that stays the same while rows are added above it. */
  readonly keyAt: (index: number) => number
  readonly indexOf: (seq: number) => number | undefined
  /** Reports the visible rows; missing ones are loaded. */
  readonly setVisibleRange: (from: number, to: number) => void
  /** While held, rows stay in place and new ones are only counted. */
  readonly hold: (on: boolean) => void
  readonly take: (events: readonly StoredEvent[]) => void
  readonly onBreak: (gap: Break) => void
  /** Loads the visible rows again after a failure. */
  readonly retry: () => void
  /** Drops everything and loads it again. */
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
