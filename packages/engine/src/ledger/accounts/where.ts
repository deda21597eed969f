import type { AccountFilter } from '../accounts-port.ts'
import { type Asking, rowsOf, type Value, type Where } from './asking.ts'
import { ALL_DAYS, DAY_MS, dayNumber, daysOfSpan } from './days.ts'
import type { Dialect } from './dialect.ts'
import { PLACES } from './facts.ts'
import { ANY, NOBODY, nameOf, numbersOf } from './names.ts'

export const allOf = (...terms: readonly Where[]): Where => ({
  sql: terms.map(({ sql }) => sql).join(' AND ') || 'true',
  values: terms.flatMap(({ values }) => values),
})
export const equals = (column: string, value: Value): Where => ({ sql: `${column} = ?`, values: [value] })

/** A filter with its names as numbers. */
export interface Scope {
  readonly dialect: Dialect
  /** Of the filter's names and of those that were asked for with it. */
  readonly number: (name: string) => number
  readonly source: number
  readonly project: number
  /** Of the filter's session, or of those whose ids begin so. */
  readonly accounts: readonly number[] | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

export function* scopeOf(
  dialect: Dialect,
  filter: AccountFilter,
  names: readonly (string | undefined)[] = [],
): Asking<Scope> {
  const asked = [filter.source, filter.project, ...names].flatMap((name) =>
    name === undefined ? [] : [nameOf(name)],
  )
  const numbers = yield* numbersOf(dialect, [...new Set(asked)])
  const number = (name: string) => numbers.get(nameOf(name)) ?? NOBODY
  const numberOf = (name: string | undefined) => (name === undefined ? ANY : number(name))
  const [source, project] = [numberOf(filter.source), numberOf(filter.project)]
  const accounts = filter.session === undefined ? undefined : yield* accountsOf(dialect, filter.session)
  return { dialect, number, source, project, accounts, since: filter.since, until: filter.until }
}

/** Sessions that one beginning of an id may be of. */
const MOST_MEANT = 100
const LAST_CHARACTER = '\u{10ffff}'

/** Texts that begin so, in the order of their characters. */
export const begins = (column: string, text: string): Where => ({
  sql: `${column} >= ? AND ${column} < ?`,
  values: [text, text + LAST_CHARACTER],
})

/** By its id, or where there is none by the beginning of it. */
function* accountsOf({ isSession, beginsSession }: Dialect, session: string): Asking<number[]> {
  const exact = yield* numbersWhere(isSession(session))
  return exact.length > 0 || session === '' ? exact : yield* numbersWhere(beginsSession(session))
}

function* numbersWhere({ sql, values }: Where): Asking<number[]> {
  const found = yield* rowsOf(
    `SELECT number FROM accounts WHERE ${sql} ORDER BY number LIMIT ${MOST_MEANT}`,
    values,
  )
  return found.map(({ number }) => Number(number))
}

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
  sql: terms.length === 0 ? 'false' : `(${terms.map(({ sql }) => sql).join(' OR ')})`,
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
interface Cut {
  readonly days: readonly Where[]
  readonly edges: readonly (readonly [from: number, to: number])[]
}

const NEVER = 2 ** 53 - 1

/** Rows have whole milliseconds. */
export const spanOf = ({ since = 0, until = NEVER }: Span): readonly [number, number] => [
  Math.ceil(Math.min(Math.max(0, since), NEVER)),
  Math.ceil(Math.min(until, NEVER)),
]

export function cutOf(scope: Scope): Cut {
  if (!hasSpan(scope)) return { days: [equals('day', ALL_DAYS)], edges: [] }
  const [since, until] = spanOf(scope)
  const [first, end] = [Math.ceil(since / DAY_MS), dayNumber(until)]
  if (first >= end) return { days: [], edges: [[since, until]] }
  const edges = [
    [since, first * DAY_MS],
    [end * DAY_MS, until],
  ] as const
  const isSome = ([from, to]: readonly [number, number]) => from < to
  return {
    days: daysOfSpan(first, end)
      .filter(isSome)
      .map(([from, to]) => between('day', from, to)),
    edges: edges.filter(isSome),
  }
}
