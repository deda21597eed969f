import type { Statements } from '../statements.ts'
import type { KINDS, RowKind } from './facts.ts'
import { allOf, between, cutOf, rowsIn, rowsWithin, type Scope, sumsIn, type Where } from './where.ts'

type Column<K extends RowKind> = (typeof KINDS)[K][number]
export type Counted<K extends RowKind> = Readonly<Record<Column<K> | 'n', number>>

/** How many rows of a kind there are, by these columns: from the sums of whole days, and the rows of the days that are cut. */
export function countsOf<K extends RowKind>(
  statements: Statements,
  kind: K,
  scope: Scope,
  columns: readonly Column<K>[],
  where: Where = allOf(),
): readonly Counted<K>[] {
  const named = columns.map((column) => `${column}, `).join('')
  const parts = (scope.accounts === undefined ? fromSums : fromRows)(kind, scope, named, where)
  const all = parts.map(({ sql }) => sql).join(' UNION ALL ')
  const grouped = columns.length > 0 ? ` GROUP BY ${columns.join(', ')}` : ''
  return statements
    .of(`SELECT ${named}coalesce(sum(n), 0) AS n FROM (${all})${grouped}`)
    .all(...parts.flatMap(({ values }) => values)) as unknown as Counted<K>[]
}

export const countOf = (statements: Statements, kind: RowKind, scope: Scope, where?: Where): number =>
  countsOf(statements, kind, scope, [], where)[0]?.n ?? 0

function fromSums(kind: RowKind, scope: Scope, named: string, where: Where): Where[] {
  const { days, edges } = cutOf(scope)
  const whole = allOf(sumsIn(scope), days, where)
  return [
    { sql: `SELECT ${named}n FROM account_${kind}_sums WHERE ${whole.sql}`, values: whole.values },
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
