import type { AccountFilter } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { ALL_DAYS, DAY_MS, dayNumber } from './days.ts'
import { PLACES } from './facts.ts'
import { ANY, Names, nameOf } from './names.ts'

export type Value = string | number

/** A condition with the values it asks for. */
export interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

export const allOf = (...terms: readonly Where[]): Where => ({
  sql: terms.map(({ sql }) => sql).join(' AND ') || '1',
  values: terms.flatMap(({ values }) => values),
})
export const equals = (column: string, value: Value): Where => ({ sql: `${column} = ?`, values: [value] })

/** A filter with its names as numbers. */
export interface Scope {
  readonly names: Names
  readonly source: number
  readonly project: number
  /** Of the filter's session; one of each source at most. */
  readonly accounts: readonly number[] | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

export function scopeOf(statements: Statements, filter: AccountFilter): Scope {
  const names = new Names(statements)
  const numberOf = (name: string | undefined) => (name === undefined ? ANY : names.find(nameOf(name)))
  const [source, project] = [numberOf(filter.source), numberOf(filter.project)]
  const accounts = filter.session === undefined ? undefined : accountsOf(statements, filter.session)
  return { names, source, project, accounts, since: filter.since, until: filter.until }
}

const accountsOf = (statements: Statements, session: string): number[] =>
  statements
    .of('SELECT number FROM accounts WHERE session_id = ? ORDER BY number')
    .all(session)
    .map(({ number }) => Number(number))

export type Span = Pick<AccountFilter, 'since' | 'until'>

export const hasSpan = ({ since, until }: Span): boolean => since !== undefined || until !== undefined

/** Which sums are of this filter, by source and project. */
export const sumsIn = ({ source, project }: Scope): Where =>
  allOf(equals('source', source), equals('project', project))

/** Which rows are, of whatever time. */
export const rowsIn = ({ source, project, accounts }: Scope): Where =>
  allOf(
    ...(source === ANY ? [] : [equals('source', source)]),
    ...(project === ANY ? [] : [equals('project', project)]),
    ...(accounts === undefined
      ? []
      : [anyOf(accounts.map((n) => between('id', n * PLACES, (n + 1) * PLACES)))]),
  )

const anyOf = (terms: readonly Where[]): Where => ({
  sql: terms.length === 0 ? '0' : `(${terms.map(({ sql }) => sql).join(' OR ')})`,
  values: terms.flatMap(({ values }) => values),
})

/** The same within the span, row by row. */
export const rowsWithin = (scope: Scope): Where =>
  allOf(rowsIn(scope), ...(hasSpan(scope) ? [between('at', ...spanOf(scope))] : []))

/** From one moment to before another one. */
export const between = (column: string, from: number, to: number): Where => ({
  sql: `${column} >= ? AND ${column} < ?`,
  values: [from, to],
})

/** A span as whole days, which sums tell, and what is left before and after them, which only rows tell. */
export interface Cut {
  readonly days: Where
  readonly edges: readonly (readonly [from: number, to: number])[]
}

const NEVER = 2 ** 53 - 1

export const spanOf = ({ since = 0, until = NEVER }: Span): readonly [number, number] => [
  Math.max(0, since),
  until,
]

export function cutOf(scope: Scope): Cut {
  if (!hasSpan(scope)) return { days: equals('day', ALL_DAYS), edges: [] }
  const [since, until] = spanOf(scope)
  const [first, end] = [Math.ceil(since / DAY_MS), dayNumber(until)]
  if (first >= end) return { days: between('day', 0, 0), edges: [[since, until]] }
  const edges = [
    [since, first * DAY_MS],
    [end * DAY_MS, until],
  ] as const
  return { days: between('day', first, end), edges: edges.filter(([from, to]) => from < to) }
}
