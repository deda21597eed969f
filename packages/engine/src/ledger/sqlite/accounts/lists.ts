import type { AccountPage } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { countOf } from './counts.ts'
import { DAY_MS, dayNumber } from './days.ts'
import type { RowKind } from './facts.ts'
import {
  allOf,
  between,
  hasSpan,
  rowsIn,
  rowsWithin,
  type Scope,
  spanOf,
  sumsIn,
  type Where,
} from './where.ts'

/** Rows as JSON texts: whoever asked reads them. */
export interface Texts {
  readonly total: number
  readonly docs: readonly string[]
}

/** The newest first. */
export function listOf(
  statements: Statements,
  kind: RowKind,
  scope: Scope,
  page: AccountPage,
  where: Where = allOf(),
): Texts {
  const total = countOf(statements, kind, scope, where)
  const { limit, offset = 0 } = page
  if (total <= offset || limit <= 0) return { total, docs: [] }
  const docs =
    scope.accounts === undefined
      ? byDays(statements, kind, scope, { limit, offset }, where)
      : docsOf(statements, kind, allOf(rowsWithin(scope), where), { limit, offset })
  return { total, docs }
}

export const docsOf = (
  statements: Statements,
  kind: RowKind,
  { sql, values }: Where,
  { limit, offset = 0 }: AccountPage,
): string[] =>
  statements
    .of(`SELECT doc FROM account_${kind} WHERE ${sql} ORDER BY at DESC, id DESC LIMIT ? OFFSET ?`)
    .all(...values, limit, offset)
    .map(({ doc }) => String(doc))

/** The sums say on which days there is something, so that no other day is looked at, however rare it is. */
function byDays(
  statements: Statements,
  kind: RowKind,
  scope: Scope,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  where: Where,
): string[] {
  const docs: string[] = []
  let skip = offset
  const take = (rows: Where) => {
    const left = { limit: limit - docs.length, offset: skip }
    docs.push(...docsOf(statements, kind, allOf(rows, rowsIn(scope), where), left))
    skip = 0
  }
  for (const { from, to, n } of daysOf(statements, kind, scope, where)) {
    if (skip >= n) skip -= n
    else take(between('at', from, to))
    if (docs.length >= limit) return docs
  }
  if (!hasSpan(scope)) take({ sql: 'at IS NULL', values: [] })
  return docs
}

function* daysOf(statements: Statements, kind: RowKind, scope: Scope, where: Where) {
  const [since, until] = spanOf(scope)
  const days = allOf(sumsIn(scope), between('day', dayNumber(since), dayNumber(until - 1) + 1), where)
  const found = statements
    .of(`SELECT day, sum(n) AS n FROM account_${kind}_sums WHERE ${days.sql} GROUP BY day ORDER BY day DESC`)
    .iterate(...days.values)
  for (const { day, n } of found) {
    const [begin, end] = [Number(day) * DAY_MS, (Number(day) + 1) * DAY_MS]
    const [from, to] = [Math.max(begin, since), Math.min(end, until)]
    const isWhole = from === begin && to === end
    const cut = isWhole ? undefined : { ...scope, since: from, until: to }
    yield { from, to, n: cut === undefined ? Number(n) : countOf(statements, kind, cut, where) }
  }
}
