import type { AccountPage } from '../accounts-port.ts'
import { queryCount } from './counts.ts'
import { DAY_MS, dayNumber } from './days.ts'
import type { RowKind } from './facts.ts'
import { type Asking, queryRows, type Where } from './query-generator.ts'
import { and, between, hasSpan, rowsIn, rowsWithin, type Scope, sumsIn, timeSpan } from './where-clause.ts'

/** Rows as JSON text, which the caller parses. */
export interface Texts {
  readonly total: number
  readonly docs: readonly string[]
}

type Place = Required<{ readonly [K in keyof AccountPage]: number }>

/** Lists rows, newest first. */
export function* queryList(
  kind: RowKind,
  scope: Scope,
  { limit, offset = 0 }: AccountPage,
  where: Where = and(),
): Asking<Texts> {
  const total = yield* queryCount(kind, scope, where)
  if (total <= offset || limit <= 0) return { total, docs: [] }
  const docs =
    scope.accounts === undefined
      ? yield* byDays(kind, scope, { limit, offset }, where)
      : yield* queryDocs(kind, and(rowsWithin(scope), where), { limit, offset })
  return { total, docs }
}

/** Lists documents, with those that have no time at the end. */
export const queryDocs = (kind: RowKind, where: Where, page: AccountPage): Asking<readonly string[]> =>
  ordered(kind, where, page, 'at DESC NULLS LAST, id DESC')

/** Lists documents that all have a time, which an index provides in this order. */
const queryTimedDocs = (kind: RowKind, where: Where, page: AccountPage): Asking<readonly string[]> =>
  ordered(kind, where, page, 'at DESC, id DESC')

function* ordered(
  kind: RowKind,
  { sql, values }: Where,
  { limit, offset = 0 }: AccountPage,
  order: string,
): Asking<readonly string[]> {
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
function* byDays(
  kind: RowKind,
  scope: Scope,
  { limit, offset }: Place,
  where: Where,
): Asking<readonly string[]> {
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
        const rows = and(between('at', from, to), rowsIn(scope), where)
        docs.push(...(yield* queryTimedDocs(kind, rows, { limit: limit - docs.length, offset: skip })))
        skip = 0
      }
      if (docs.length >= limit) return docs
    }
    if (days.length < DAYS) break
    end = days.at(-1)?.day ?? 0
  }
  if (hasSpan(scope)) return docs
  const without = and({ sql: 'at IS NULL', values: [] }, rowsIn(scope), where)
  return [...docs, ...(yield* queryDocs(kind, without, { limit: limit - docs.length, offset: skip }))]
}

/** Finds the newest days that have rows, from one day up to, but not including, another. */
function* queryDays(
  kind: RowKind,
  scope: Scope,
  first: number,
  end: number,
  where: Where,
): Asking<readonly { readonly day: number; readonly n: number }[]> {
  const { sql, values } = and(sumsIn(scope), between('day', first, end), where)
  const rows = yield* queryRows(
    `SELECT day, sum(n) AS n FROM account_${kind}_sums WHERE ${sql} GROUP BY day ORDER BY day DESC LIMIT ${DAYS}`,
    values,
  )
  return rows.map(({ day, n }) => ({ day: Number(day), n: Number(n) }))
}
