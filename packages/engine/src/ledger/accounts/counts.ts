import { type Asking, rowsOf, type Where } from './asking.ts'
import type { KINDS, RowKind } from './facts.ts'
import { allOf, between, cutOf, rowsIn, rowsWithin, type Scope, sumsIn } from './where.ts'

type Column<K extends RowKind> = (typeof KINDS)[K][number]
type Counted<K extends RowKind> = Readonly<Record<Column<K> | 'n', number>>

/** How many rows of a kind there are, by these columns: from the sums of whole days, and the rows of the days that are cut. */
export function* countsOf<K extends RowKind>(
  kind: K,
  scope: Scope,
  columns: readonly Column<K>[],
  where: Where = allOf(),
): Asking<readonly Counted<K>[]> {
  const named = columns.map((column) => `${column}, `).join('')
  const parts = (scope.accounts === undefined ? fromSums : fromRows)(kind, scope, named, where)
  const all = parts.map(({ sql }) => sql).join(' UNION ALL ')
  const grouped = columns.length > 0 ? ` GROUP BY ${columns.join(', ')}` : ''
  const rows = yield* rowsOf(
    `SELECT ${named}coalesce(sum(n), 0) AS n FROM (${all}) AS parts${grouped}`,
    parts.flatMap(({ values }) => values),
  )
  return rows.map(
    (row) =>
      Object.fromEntries([...columns, 'n'].map((column) => [column, Number(row[column])])) as Counted<K>,
  )
}

export function* countOf(kind: RowKind, scope: Scope, where?: Where): Asking<number> {
  return (yield* countsOf(kind, scope, [], where))[0]?.n ?? 0
}

function fromSums(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { days, edges } = cutOf(scope)
  return [
    ...days.map((each) => {
      const { sql, values } = allOf(sumsIn(scope), each, where)
      return { sql: `SELECT ${named}n FROM account_${kind}_sums WHERE ${sql}`, values }
    }),
    ...edges.map(([from, to]) => {
      const { sql, values } = allOf(between('at', from, to), rowsIn(scope), where)
      return { sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }
    }),
  ]
}

function fromRows(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { sql, values } = allOf(rowsWithin(scope), where)
  return [{ sql: `SELECT ${named}1 AS n FROM account_${kind} WHERE ${sql}`, values }]
}
