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

/**
 * State derived from events, as rows of plain JSON. It is computed from the log alone, so that any engine can keep it and a
 * rebuild gives the same bytes. `apply` may change the row it is given: rows belong to the engine, one event at a time.
 */
export interface Projection<Row extends object> {
  readonly name: string
  /** Raise it when the rows' meaning changes: the projection is then rebuilt when the ledger opens. */
  readonly version: number
  /** The row that an event touches, if any. */
  readonly key: (event: StoredEvent) => string | undefined
  /** Every row of this group that is tagged alive is touched too. */
  readonly group?: (event: StoredEvent) => string | undefined
  readonly apply: (row: Row | undefined, event: StoredEvent) => Row
  readonly place: (row: Row) => Place
}

/** Names hold no such character. */
const SEPARATOR = '\u001f'

export const rowKey = (source: string, session: string, id?: string): string =>
  id === undefined ? source + SEPARATOR + session : source + SEPARATOR + session + SEPARATOR + id
