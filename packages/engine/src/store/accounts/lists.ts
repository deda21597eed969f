import type { AccountPage } from '../accounts-port.ts'
import { DAY_MS, dayNumber } from './days.ts'
import { type QueryGenerator, queryRows, type Where } from './dialect.ts'
import type { KINDS, RowKind } from './facts.ts'
import {
  and,
  cutSpan,
  hasSpan,
  matchRows,
  matchRowsInSpan,
  matchSums,
  type Scope,
  timeSpan,
  whereBetween,
} from './where-clause.ts'

/** Rows as JSON text, which the caller parses. */
export interface Texts {
  readonly total: number
  readonly docs: readonly string[]
}

type Place = Required<{ readonly [K in keyof AccountPage]: number }>

type Column<K extends RowKind> = (typeof KINDS)[K][number]
type Counted<K extends RowKind> = Readonly<Record<Column<K> | 'n', number>>

/** Lists rows, newest first. */
export function* queryList(
  kind: RowKind,
  scope: Scope,
  { limit, offset = 0 }: AccountPage,
  where: Where = and(),
): QueryGenerator<Texts> {
  const total = yield* queryCount(kind, scope, where)
  if (total <= offset || limit <= 0) return { total, docs: [] }
  const docs =
    scope.accounts === undefined
      ? yield* queryByDays(kind, scope, { limit, offset }, where)
      : yield* queryDocs(kind, and(matchRowsInSpan(scope), where), { limit, offset })
  return { total, docs }
}

/** Lists documents, with those that have no time at the end. */
export const queryDocs = (
  kind: RowKind,
  where: Where,
  page: AccountPage,
): QueryGenerator<readonly string[]> => orderRows(kind, where, page, 'at DESC NULLS LAST, id DESC')

/** Lists documents that all have a time, which an index provides in this order. */
const queryTimedDocs = (kind: RowKind, where: Where, page: AccountPage): QueryGenerator<readonly string[]> =>
  orderRows(kind, where, page, 'at DESC, id DESC')

function* orderRows(
  kind: RowKind,
  { sql, values }: Where,
  { limit, offset = 0 }: AccountPage,
  order: string,
): QueryGenerator<readonly string[]> {
  const rows = yield* queryRows(
    `SELECT doc FROM account_${kind} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  )
  return rows.map(({ doc }) => String(doc))
}

/** One query covers this many days. */
const DAYS = 50

/**
 * Uses the sums to find the days that have rows, so that it reads no other day, however rare the rows are.
 */
function* queryByDays(
  kind: RowKind,
  scope: Scope,
  { limit, offset }: Place,
  where: Where,
): QueryGenerator<readonly string[]> {
  const docs: string[] = []
  let skip = offset
  const [since, until] = timeSpan(scope)
  let end = dayNumber(until - 1) + 1
  for (;;) {
    const days = yield* queryDays(kind, scope, dayNumber(since), end, where)
    for (const { day, n: all } of days) {
      const [from, to] = [Math.max(day * DAY_MS, since), Math.min((day + 1) * DAY_MS, until)]
      const isWhole = to - from === DAY_MS
      const n = isWhole ? all : yield* queryCount(kind, { ...scope, since: from, until: to }, where)
      if (skip >= n) skip -= n
      else {
        const rows = and(whereBetween('at', from, to), matchRows(scope), where)
        docs.push(...(yield* queryTimedDocs(kind, rows, { limit: limit - docs.length, offset: skip })))
        skip = 0
      }
      if (docs.length >= limit) return docs
    }
    if (days.length < DAYS) break
    end = days.at(-1)?.day ?? 0
  }
  if (hasSpan(scope)) return docs
  const without = and({ sql: 'at IS NULL', values: [] }, matchRows(scope), where)
  return [...docs, ...(yield* queryDocs(kind, without, { limit: limit - docs.length, offset: skip }))]
}

/** Finds the newest days that have rows, from one day up to, but not including, another. */
function* queryDays(
  kind: RowKind,
  scope: Scope,
  first: number,
  end: number,
  where: Where,
): QueryGenerator<readonly { readonly day: number; readonly n: number }[]> {
  const { sql, values } = and(matchSums(scope), whereBetween('day', first, end), where)
  const rows = yield* queryRows(
    `SELECT day, sum(n) AS n FROM account_${kind}_sums WHERE ${sql} GROUP BY day ORDER BY day DESC LIMIT ${DAYS}`,
    values,
  )
  return rows.map(({ day, n }) => ({ day: Number(day), n: Number(n) }))
}

/**
 * Counts the rows of a kind, grouped by these columns. Whole days come from sums, and partial days from their
 * rows.
 */
export function* queryCounts<K extends RowKind>(
  kind: K,
  scope: Scope,
  columns: readonly Column<K>[],
  where: Where = and(),
): QueryGenerator<readonly Counted<K>[]> {
  const named = columns.map((column) => `${column}, `).join('')
  const parts = (scope.accounts === undefined ? countFromSums : countFromRows)(kind, scope, named, where)
  const all = parts.map(({ sql }) => sql).join(' UNION ALL ')
  const grouped = columns.length > 0 ? ` GROUP BY ${columns.join(', ')}` : ''
  const rows = yield* queryRows(
    `SELECT ${named}coalesce(sum(n), 0) AS n FROM (${all}) AS parts${grouped}`,
    parts.flatMap(({ values }) => values),
  )
  return rows.map(
    (row) =>
      Object.fromEntries([...columns, 'n'].map((column) => [column, Number(row[column])])) as Counted<K>,
  )
}

export function* queryCount(kind: RowKind, scope: Scope, where?: Where): QueryGenerator<number> {
  return (yield* queryCounts(kind, scope, [], where))[0]?.n ?? 0
}

function countFromSums(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { days, edges } = cutSpan(scope)
  return [
    ...days.map((each) => {
      const { sql, values } = and(matchSums(scope), each, where)
      return { sql: `SELECT ${named}n FROM account_${kind}_sums WHERE ${sql}`, values }
    }),
    ...edges.map(([from, to]) => {
      const { sql, values } = and(whereBetween('at', from, to), matchRows(scope), where)
      return { sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }
    }),
  ]
}

function countFromRows(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { sql, values } = and(matchRowsInSpan(scope), where)
  return [{ sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }]
}
