import type { CostRow } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import type { Dialect, FoundTimes, WantedTimes } from '../../accounts/dialect.ts'
import { type QueryGenerator, queryRows } from '../../accounts/dialect.ts'
import { sessionsMeant } from '../../accounts/session-costs.ts'
import { and, equals, matchRowsInSpan, type Scope, startsWith } from '../../accounts/where-clause.ts'
import type { CostQuery } from '../../accounts-port.ts'
import type { Connection, Value } from '../database.ts'
import { toStoredKey } from '../names.ts'
import { accountKey } from './load.ts'
import { INDEXED, SESSION } from './tables.ts'

const indexPrefix = (id: string): string => [...id].slice(0, INDEXED).join('')

const total = (column: string, only?: string): string =>
  `coalesce(sum(${column})${only === undefined ? '' : ` FILTER (WHERE ${only})`}, 0)::double precision`

export const postgres: Dialect = {
  isIn: (column, values) => ({ sql: `${column} = ANY(?)`, values: [values] }),
  isNamed: (names) => postgres.isIn('key', names.map(toStoredKey)),
  isAccount: ({ source, id }) => equals('key', accountKey(source, id)),
  isSession: (id) => and(equals(SESSION, indexPrefix(id)), equals('session_id', id)),
  beginsSession: (id) => and(startsWith(SESSION, indexPrefix(id)), startsWith('session_id', id)),
  total,
  isAgent: (id) => ({
    sql: id === 'main' ? 'agent_id = ?' : "agent_id = ? AND agent_id <> 'main'",
    values: [toStoredKey(id)],
  }),
  times,
  sessions,
}

function* times(scope: Scope, wanted: readonly WantedTimes[]): QueryGenerator<readonly FoundTimes[]> {
  const pairs = wanted.flatMap(({ skill, classes }) => classes.map((bucket) => [skill, bucket] as const))
  if (pairs.length === 0) return []
  const { sql, values } = matchRowsInSpan(scope)
  // Without OFFSET 0 the planner joins the whole table and would read every use there is.
  const rows = yield* queryRows(
    `SELECT wanted.skill, wanted.class, found.ms FROM unnest(?::integer[], ?::integer[]) AS wanted (skill, class)
     CROSS JOIN LATERAL (
       SELECT ms FROM account_uses WHERE skill = wanted.skill AND class = wanted.class AND ${sql} OFFSET 0
     ) AS found
     ORDER BY found.ms`,
    [pairs.map(([skill]) => skill), pairs.map(([, bucket]) => bucket), ...values],
  )
  return rows.map((row) => ({ skill: Number(row.skill), class: Number(row.class), ms: Number(row.ms) }))
}

const SUMS = SPENT.map((field) => `${total(field)} AS ${field}`).join(', ')

function* sessions(
  scope: Scope,
  query: CostQuery,
  model: number | undefined,
): QueryGenerator<readonly CostRow[]> {
  const { found, own } = sessionsMeant(scope, query, model)
  const split = query.splitByModel === true
  const rows = yield* queryRows(
    `WITH found AS MATERIALIZED (${found.sql})
     SELECT a.source || '/' || a.session_id AS name, ${split ? 'n.name' : 'NULL'} AS model, a.source, 1 AS sessions,
       ${SPENT.map((field) => `own.${field}`).join(', ')}
     FROM found JOIN accounts AS a ON a.number = found.account
     CROSS JOIN LATERAL (
       SELECT ${split ? 'model' : 'NULL::integer AS model'}, ${SUMS} FROM account_costs
       WHERE account = found.account AND ${own.sql} GROUP BY 1
     ) AS own
     ${split ? 'JOIN account_names AS n ON n.id = own.model' : ''}`,
    [...found.values, ...own.values],
  )
  return rows as readonly unknown[] as readonly CostRow[]
}

/** Runs a generator of queries and awaits every answer. */
export async function answer<T>(connection: Connection, asking: QueryGenerator<T>): Promise<T> {
  let step = asking.next()
  while (!step.done) {
    const { sql, values } = step.value
    let n = 0
    const numbered = sql.replaceAll('?', () => {
      n += 1
      return `$${n}`
    })
    step = asking.next(await connection.rows(numbered, values as readonly Value[]))
  }
  return step.value
}
