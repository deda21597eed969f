import type { AccountPage } from '../accounts-port.ts'
import { type Asking, rowsOf, type Where } from './asking.ts'
import { countOf } from './counts.ts'
import { DAY_MS, dayNumber } from './days.ts'
import type { RowKind } from './facts.ts'
import { allOf, between, hasSpan, rowsIn, rowsWithin, type Scope, spanOf, sumsIn } from './where.ts'

/** Rows as JSON texts: whoever asked reads them. */
export interface Texts {
  readonly total: number
  readonly docs: readonly string[]
}

type Place = Required<{ readonly [K in keyof AccountPage]: number }>

/** The newest first. */
export function* listOf(
  kind: RowKind,
  scope: Scope,
  { limit, offset = 0 }: AccountPage,
  where: Where = allOf(),
): Asking<Texts> {
  const total = yield* countOf(kind, scope, where)
  if (total <= offset || limit <= 0) return { total, docs: [] }
  const docs =
    scope.accounts === undefined
      ? yield* byDays(kind, scope, { limit, offset }, where)
      : yield* docsOf(kind, allOf(rowsWithin(scope), where), { limit, offset })
  return { total, docs }
}

/** Those without a time last. */
export const docsOf = (kind: RowKind, where: Where, page: AccountPage): Asking<readonly string[]> =>
  ordered(kind, where, page, 'at DESC NULLS LAST, id DESC')

/** Whose times are all known: an index has them in this order. */
const timedDocsOf = (kind: RowKind, where: Where, page: AccountPage): Asking<readonly string[]> =>
  ordered(kind, where, page, 'at DESC, id DESC')

function* ordered(
  kind: RowKind,
  { sql, values }: Where,
  { limit, offset = 0 }: AccountPage,
  order: string,
): Asking<readonly string[]> {
  const rows = yield* rowsOf(
    `SELECT doc FROM account_${kind} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  )
  return rows.map(({ doc }) => String(doc))
}

/** Days are asked for so many at a time. */
const DAYS = 50

/** The sums say on which days there is something, so that no other day is looked at, however rare it is. */
function* byDays(
  kind: RowKind,
  scope: Scope,
  { limit, offset }: Place,
  where: Where,
): Asking<readonly string[]> {
  const docs: string[] = []
  let skip = offset
  const [since, until] = spanOf(scope)
  let end = dayNumber(until - 1) + 1
  for (;;) {
    const days = yield* daysOf(kind, scope, dayNumber(since), end, where)
    for (const { day, n: all } of days) {
      const [from, to] = [Math.max(day * DAY_MS, since), Math.min((day + 1) * DAY_MS, until)]
      const isWhole = to - from === DAY_MS
      const n = isWhole ? all : yield* countOf(kind, { ...scope, since: from, until: to }, where)
      if (skip >= n) skip -= n
      else {
        const rows = allOf(between('at', from, to), rowsIn(scope), where)
        docs.push(...(yield* timedDocsOf(kind, rows, { limit: limit - docs.length, offset: skip })))
        skip = 0
      }
      if (docs.length >= limit) return docs
    }
    if (days.length < DAYS) break
    end = days.at(-1)?.day ?? 0
  }
  if (hasSpan(scope)) return docs
  const without = allOf({ sql: 'at IS NULL', values: [] }, rowsIn(scope), where)
  return [...docs, ...(yield* docsOf(kind, without, { limit: limit - docs.length, offset: skip }))]
}

/** The newest days of which there is something, from one to before another one. */
function* daysOf(
  kind: RowKind,
  scope: Scope,
  first: number,
  end: number,
  where: Where,
): Asking<readonly { readonly day: number; readonly n: number }[]> {
  const { sql, values } = allOf(sumsIn(scope), between('day', first, end), where)
  const rows = yield* rowsOf(
    `SELECT day, sum(n) AS n FROM account_${kind}_sums WHERE ${sql} GROUP BY day ORDER BY day DESC LIMIT ${DAYS}`,
    values,
  )
  return rows.map(({ day, n }) => ({ day: Number(day), n: Number(n) }))
}
