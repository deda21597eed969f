import { type Asking, rowsOf } from '../../accounts/asking.ts'
import type { Dialect, FoundTimes, WantedTimes } from '../../accounts/dialect.ts'
import { allOf, begins, equals, rowsWithin, type Scope } from '../../accounts/where.ts'
import type { Statements } from '../statements.ts'
import { costsOfSessions } from './costs-of-sessions.ts'

const AGENT = "doc ->> '$.agent_id'"

export const sqlite: Dialect = {
  oneOf: (column, values) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(values)],
  }),
  isNamed: (names) => sqlite.oneOf('name', names),
  isAccount: ({ source, id }) => allOf(equals('source', source), equals('session_id', id)),
  isSession: (id) => equals('session_id', id),
  beginsSession: (id) => begins('session_id', id),
  total: (column, only) => `total(${column})${only === undefined ? '' : ` FILTER (WHERE ${only})`}`,
  isAgent: (id) => ({
    sql: id === 'main' ? `${AGENT} = ?` : `${AGENT} = ? AND ${AGENT} <> 'main'`,
    values: [id],
  }),
  times,
  sessions: costsOfSessions,
}

function* times(scope: Scope, wanted: readonly WantedTimes[]): Asking<readonly FoundTimes[]> {
  const found: FoundTimes[] = []
  for (const { skill, classes } of wanted) {
    const { sql, values } = allOf(equals('skill', skill), rowsWithin(scope), sqlite.oneOf('class', classes))
    const rows = yield* rowsOf(
      `SELECT class, doc ->> '$.duration_ms' AS ms FROM account_uses WHERE ${sql} ORDER BY ms`,
      values,
    )
    for (const row of rows) found.push({ skill, class: Number(row.class), ms: Number(row.ms) })
  }
  return found
}

/** Every answer at once. */
export function answer<T>(statements: Statements, asking: Asking<T>): T {
  let step = asking.next()
  while (!step.done) {
    const { sql, values } = step.value
    step = asking.next(statements.of(sql).all(...(values as readonly (string | number)[])))
  }
  return step.value
}
