import type { StoredEvent } from '@panoptes/schema'
import type { SubAgentCounts } from './sub-agent-counts.ts'

/** The fields by which a row is found without reading its document. */
export interface Place {
  /**
   * The rows that one event may touch together, which are a session's agents. Their keys begin with the
   * group, and a row never changes its group.
   */
  readonly group: string
  /** The list a row belongs to, such as alive or ended. */
  readonly tag: string
  /** The order within a tag. */
  readonly order: number
  /** A name that can be looked up on its own, such as an agent's id in whatever session. It never changes. */
  readonly ref: string
}

/** The rows of one projection, as they are before the event. */
export interface Rows<Row> {
  readonly get: (key: string) => Row | undefined
  readonly set: (key: string, row: Row) => void
  readonly remove: (key: string) => void
  /** Returns every row of a group in the order of the keys. `alive` returns only those tagged alive. */
  readonly group: (name: string) => readonly (readonly [key: string, row: Row])[]
  readonly alive: (name: string) => readonly (readonly [key: string, row: Row])[]
}

/**
 * State that is derived from events, as rows of plain JSON. It depends on the log alone, so that every engine
 * can maintain it and a rebuild gives the same bytes. `apply` touches only rows of the event's own group; it
 * may change a row it received, and must then set it. The agents projection passes the event's changes in the
 * number of sub-agents to the counters projection.
 */
export interface Projection<Row extends object> {
  readonly name: string
  /** Raise this when the meaning of the rows changes. The projection is then rebuilt when the store opens. */
  readonly version: number
  readonly apply: (rows: Rows<Row>, event: StoredEvent, subAgents?: SubAgentCounts) => void
  readonly place: (row: Row) => Place
}

/** Names never contain this character. */
const SEPARATOR = '\u001f'

export const rowKey = (source: string, session: string, id?: string): string =>
  id === undefined ? source + SEPARATOR + session : source + SEPARATOR + session + SEPARATOR + id
