import type { CostRow, SessionRef } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import type { Scope } from './where-clause.ts'

/** The duration classes of one skill that have to be read. */
export interface WantedTimes {
  readonly skill: number
  readonly classes: readonly number[]
}

/** The durations of one skill within one class, shortest first. */
export interface FoundTimes extends Omit<WantedTimes, 'classes'> {
  readonly class: number
  readonly ms: number
}

/** The parts of a query that databases express differently. */
export interface Dialect {
  /** Matches rows whose column has one of these values. */
  readonly isIn: (column: string, values: readonly (string | number)[]) => Where
  /** Matches rows of `account_names` with one of these names. */
  readonly isNamed: (names: readonly string[]) => Where
  /** Matches the account of a session. */
  readonly isAccount: (session: SessionRef) => Where
  /** Matches accounts whose session has this id. `beginsSession` matches ids that begin with it. */
  readonly isSession: (id: string) => Where
  readonly beginsSession: (id: string) => Where
  /**
   * Sums a column, capped at a number that is safe to return, and 0 without rows. With `only`, it sums just
   * the rows that meet the condition.
   */
  readonly total: (column: string, only?: string) => string
  /** Matches rows of agents with this id. */
  readonly isAgent: (id: string) => Where
  /** Returns skills and classes in any order. */
  readonly times: (scope: Scope, wanted: readonly WantedTimes[]) => QueryGenerator<readonly FoundTimes[]>
  /** Returns the most expensive sessions in any order, for one model if it is given. */
  readonly sessions: (
    scope: Scope,
    query: CostQuery,
    model: number | undefined,
  ) => QueryGenerator<readonly CostRow[]>
}

export type Value = string | number | readonly (string | number)[]
type Row = Readonly<Record<string, unknown>>

/** A condition or a whole query with its values. Each `?` stands for the next value. */
export interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/**
 * A computation that yields queries and receives their rows. The database's driver runs it, either
 * synchronously or by awaiting every answer.
 */
export type QueryGenerator<T> = Generator<Where, T, readonly Row[]>

export function* queryRows(sql: string, values: readonly Value[] = []): QueryGenerator<readonly Row[]> {
  return yield { sql, values }
}

export function* queryRow(sql: string, values: readonly Value[] = []): QueryGenerator<Row | undefined> {
  return (yield* queryRows(sql, values))[0]
}
