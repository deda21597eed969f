import type { CostRow, SessionRef } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import type { Asking, Where } from './asking.ts'
import type { Scope } from './where.ts'

/** The classes of times of one skill that have to be looked at. */
export interface WantedTimes {
  readonly skill: number
  readonly classes: readonly number[]
}

/** The times of one skill that are of one class, the shortest first. */
export interface FoundTimes extends Omit<WantedTimes, 'classes'> {
  readonly class: number
  readonly ms: number
}

/** What one database says in other words than another one. */
export interface Dialect {
  /** A column that has one of these values. */
  readonly oneOf: (column: string, values: readonly (string | number)[]) => Where
  /** Rows of the names that are among these. */
  readonly isNamed: (names: readonly string[]) => Where
  /** The account of a session. */
  readonly isAccount: (session: SessionRef) => Where
  /** Accounts of the sessions that have this id, and of those whose ids begin so. */
  readonly isSession: (id: string) => Where
  readonly beginsSession: (id: string) => Where
  /** The sum of a column, never too large to be told, 0 of no rows; of those rows only that a condition is true of. */
  readonly total: (column: string, only?: string) => string
  /** Rows of agents that have this id. */
  readonly isAgent: (id: string) => Where
  /** In any order of skills and classes. */
  readonly times: (scope: Scope, wanted: readonly WantedTimes[]) => Asking<readonly FoundTimes[]>
  /** The most costly sessions in any order, of one model if it is given. */
  readonly sessions: (scope: Scope, query: CostQuery, model: number | undefined) => Asking<readonly CostRow[]>
}
