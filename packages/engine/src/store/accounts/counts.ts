import type { KINDS, RowKind } from './facts.ts'
import { type Asking, queryRows, type Where } from './query-generator.ts'
import { and, between, cutSpan, rowsIn, rowsWithin, type Scope, sumsIn } from './where-clause.ts'

type Column<K extends RowKind> = (typeof KINDS)[K][number]
type Counted<K extends RowKind> = Readonly<Record<Column<K> | 'n', number>>

/**
 * Counts the rows of a kind, grouped by these columns. Whole days come from sums, and partial days from their
 * rows.
 */
export function* queryCounts<K extends RowKind>(
  kind: K,
  scope: Scope,
  columns: readonly Column<K>[],
  where: Where = and(),
): Asking<readonly Counted<K>[]> {
  const named = columns.map((column) => `${column}, `).join('')
  const parts = (scope.accounts === undefined ? fromSums : fromRows)(kind, scope, named, where)
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

export function* queryCount(kind: RowKind, scope: Scope, where?: Where): Asking<number> {
  return (yield* queryCounts(kind, scope, [], where))[0]?.n ?? 0
}

function fromSums(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { days, edges } = cutSpan(scope)
  return [
    ...days.map((each) => {
      const { sql, values } = and(sumsIn(scope), each, where)
      return { sql: `SELECT ${named}n FROM account_${kind}_sums WHERE ${sql}`, values }
    }),
    ...edges.map(([from, to]) => {
      const { sql, values } = and(between('at', from, to), rowsIn(scope), where)
      return { sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }
    }),
  ]
}

function fromRows(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { sql, values } = and(rowsWithin(scope), where)
  return [{ sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }]
}
