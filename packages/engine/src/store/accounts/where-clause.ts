import { clamp } from '@panoptes/schema/numbers'
import type { AccountFilter } from '../accounts-port.ts'
import { ALL_DAYS, DAY_MS, dayNumber, daysOfSpan } from './days.ts'
import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRows, type Value, type Where } from './dialect.ts'
import { PLACES } from './facts.ts'
import { ANY, NOBODY, nameOrUnknown, queryNumbers } from './names.ts'

export const and = (...terms: readonly Where[]): Where => ({
  sql: terms.map(({ sql }) => sql).join(' AND ') || 'true',
  values: terms.flatMap(({ values }) => values),
})
export const equals = (column: string, value: Value): Where => ({ sql: `${column} = ?`, values: [value] })

/** A filter with its names replaced by numbers. */
export interface Scope {
  readonly dialect: Dialect
  /** Returns the number of a name in the filter, or of one that was looked up along with it. */
  readonly number: (name: string) => number
  readonly source: number
  readonly project: number
  /** The accounts of the filter's session, or of the sessions whose ids begin with it. */
  readonly accounts: readonly number[] | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

export function* resolveScope(
  dialect: Dialect,
  filter: AccountFilter,
  names: readonly (string | undefined)[] = [],
): QueryGenerator<Scope> {
  const filterNames = [filter.source, filter.project, ...names].flatMap((name) =>
    name === undefined ? [] : [nameOrUnknown(name)],
  )
  const numbers = yield* queryNumbers(dialect, [...new Set(filterNames)])
  const number = (name: string) => numbers.get(nameOrUnknown(name)) ?? NOBODY
  const nameNumber = (name: string | undefined) => (name === undefined ? ANY : number(name))
  const [source, project] = [nameNumber(filter.source), nameNumber(filter.project)]
  const accounts = filter.session === undefined ? undefined : yield* findAccounts(dialect, filter.session)
  return { dialect, number, source, project, accounts, since: filter.since, until: filter.until }
}

/** The most sessions that the beginning of an id may match. */
const MOST_MEANT = 100
const LAST_CHARACTER = '\u{10ffff}'

/** Matches texts with this prefix, in the order of their characters. */
export const startsWith = (column: string, text: string): Where => ({
  sql: `${column} >= ? AND ${column} < ?`,
  values: [text, text + LAST_CHARACTER],
})

/** Finds accounts by session id, or by the beginning of an id when no session has exactly that id. */
function* findAccounts({ isSession, beginsSession }: Dialect, session: string): QueryGenerator<number[]> {
  const exact = yield* numbersWhere(isSession(session))
  return exact.length > 0 || session === '' ? exact : yield* numbersWhere(beginsSession(session))
}

function* numbersWhere({ sql, values }: Where): QueryGenerator<number[]> {
  const found = yield* queryRows(
    `SELECT number FROM accounts WHERE ${sql} ORDER BY number LIMIT ${MOST_MEANT}`,
    values,
  )
  return found.map(({ number }) => Number(number))
}

export type Span = Pick<AccountFilter, 'since' | 'until'>

export const hasSpan = ({ since, until }: Span): boolean => since !== undefined || until !== undefined

/** Matches the sums of this filter by source and project. */
export const matchSums = ({ source, project }: Scope): Where =>
  and(equals('source', source), equals('project', project))

/** Matches the rows of this filter at any time. */
export const matchRows = ({ source, project, accounts }: Scope): Where =>
  and(
    ...(source === ANY ? [] : [equals('source', source)]),
    ...(project === ANY ? [] : [equals('project', project)]),
    ...(accounts === undefined
      ? []
      : [or(accounts.map((n) => whereBetween('id', n * PLACES, (n + 1) * PLACES)))]),
  )

const or = (terms: readonly Where[]): Where => ({
  sql: terms.length === 0 ? 'false' : `(${terms.map(({ sql }) => sql).join(' OR ')})`,
  values: terms.flatMap(({ values }) => values),
})

/** Matches the rows of this filter within the span. */
export const matchRowsInSpan = (scope: Scope): Where =>
  and(matchRows(scope), ...(hasSpan(scope) ? [whereBetween('at', ...timeSpan(scope))] : []))

/** Matches times from `from` up to, but not including, `to`. */
export const whereBetween = (column: string, from: number, to: number): Where => ({
  sql: `${column} >= ? AND ${column} < ?`,
  values: [from, to],
})

/** A span as whole days, which sums answer, and the partial days around them, which only rows answer. */
interface Cut {
  readonly days: readonly Where[]
  readonly edges: readonly (readonly [from: number, to: number])[]
}

const NEVER = 2 ** 53 - 1

/** Rounds the span to whole milliseconds, as rows have. */
export const timeSpan = ({ since = 0, until = NEVER }: Span): readonly [number, number] => [
  Math.ceil(clamp(since, 0, NEVER)),
  Math.ceil(Math.min(until, NEVER)),
]

export function cutSpan(scope: Scope): Cut {
  if (!hasSpan(scope)) return { days: [equals('day', ALL_DAYS)], edges: [] }
  const [since, until] = timeSpan(scope)
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
      .map(([from, to]) => whereBetween('day', from, to)),
    edges: edges.filter(isSome),
  }
}
