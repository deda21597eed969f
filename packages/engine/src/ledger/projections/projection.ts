import type { StoredEvent } from '@panoptes/schema'

/** How a row can be found without reading its document. */
export interface Place {
  /** Rows that an event may touch together: a session's agents. Their keys begin with it; a row never leaves it. */
  readonly group: string
  /** What rows are listed by: alive or ended. */
  readonly tag: string
  /** The order within a tag. */
  readonly order: number
  /** A name that may be asked for alone: an agent's id, whatever its session. A row keeps it. */
  readonly ref: string
}

/** The rows of one projection, as they are before the event. */
export interface Rows<Row> {
  readonly get: (key: string) => Row | undefined
  readonly set: (key: string, row: Row) => void
  readonly remove: (key: string) => void
  /** Every row of a group, and those of it that are tagged alive; in the order of their keys. */
  readonly group: (name: string) => readonly (readonly [key: string, row: Row])[]
  readonly alive: (name: string) => readonly (readonly [key: string, row: Row])[]
}

/**
 * State derived from events, as rows of plain JSON. It is computed from the log alone, so that any engine can keep it and a
 * rebuild gives the same bytes. `apply` touches rows of the event's own group only; it may change a row it was given, and
 * then sets it.
 */
export interface Projection<Row extends object> {
  readonly name: string
  /** Raise it when the rows' meaning changes: the projection is then rebuilt when the ledger opens. */
  readonly version: number
  readonly apply: (rows: Rows<Row>, event: StoredEvent) => void
  readonly place: (row: Row) => Place
}

/** Names hold no such character. */
const SEPARATOR = '\u001f'

export const rowKey = (source: string, session: string, id?: string): string =>
  id === undefined ? source + SEPARATOR + session : source + SEPARATOR + session + SEPARATOR + id
