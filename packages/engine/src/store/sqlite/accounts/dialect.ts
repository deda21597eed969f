import type { CostRow } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import type { Dialect, FoundTimes, WantedTimes } from '../../accounts/dialect.ts'
import { type QueryGenerator, queryRow, queryRows } from '../../accounts/dialect.ts'
import { queryNames } from '../../accounts/names.ts'
import { sessionsMeant } from '../../accounts/session-costs.ts'
import { and, equals, matchRowsInSpan, type Scope, startsWith } from '../../accounts/where-clause.ts'
import type { CostQuery } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'

const SUMS = SPENT.map((field) => `total(${field}) AS ${field}`).join(', ')

function* costsOfSessions(
  scope: Scope,
  query: CostQuery,
  model: number | undefined,
): QueryGenerator<readonly CostRow[]> {
  const { found, own } = sessionsMeant(scope, query, model)
  const split = query.splitByModel === true
  const all: (CostRow & { readonly by: number })[] = []
  for (const { account } of yield* queryRows(found.sql, found.values)) {
    const number = Number(account)
    const named = yield* queryRow(
      "SELECT source, source || '/' || session_id AS name FROM accounts WHERE number = ?",
      [number],
    )
    const rows = yield* queryRows(
      `SELECT ${split ? 'model' : 'NULL'} AS model, ${SUMS} FROM account_costs INDEXED BY account_costs_account
       WHERE account = ? AND ${own.sql} GROUP BY 1`,
      [number, ...own.values],
    )
    for (const row of rows)
      all.push({
        ...(row as unknown as CostRow),
        by: Number(row.model),
        name: String(named?.name),
        source: String(named?.source),
        sessions: 1,
      })
  }
  if (!split) return all
  const names = yield* queryNames(
    scope.dialect,
    all.map(({ by }) => by),
  )
  return all.map((row) => ({ ...row, model: names.of(row.by) }))
}

const AGENT = "doc ->> '$.agent_id'"

export const sqlite: Dialect = {
  isIn: (column, values) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(values)],
  }),
  isNamed: (names) => sqlite.isIn('name', names),
  isAccount: ({ source, id }) => and(equals('source', source), equals('session_id', id)),
  isSession: (id) => equals('session_id', id),
  beginsSession: (id) => startsWith('session_id', id),
  total: (column, only) => `total(${column})${only === undefined ? '' : ` FILTER (WHERE ${only})`}`,
  isAgent: (id) => ({
    sql: id === 'main' ? `${AGENT} = ?` : `${AGENT} = ? AND ${AGENT} <> 'main'`,
    values: [id],
  }),
  times,
  sessions: costsOfSessions,
}

function* times(scope: Scope, wanted: readonly WantedTimes[]): QueryGenerator<readonly FoundTimes[]> {
  const found: FoundTimes[] = []
  for (const { skill, classes } of wanted) {
    const { sql, values } = and(equals('skill', skill), matchRowsInSpan(scope), sqlite.isIn('class', classes))
    const rows = yield* queryRows(
      `SELECT class, doc ->> '$.duration_ms' AS ms FROM account_uses WHERE ${sql} ORDER BY ms`,
      values,
    )
    for (const row of rows) found.push({ skill, class: Number(row.class), ms: Number(row.ms) })
  }
  return found
}

/** Runs a generator of queries synchronously. */
export function answer<T>(statements: Statements, asking: QueryGenerator<T>): T {
  let step = asking.next()
  while (!step.done) {
    const { sql, values } = step.value
    step = asking.next(statements.of(sql).all(...(values as readonly (string | number)[])))
  }
  return step.value
}
