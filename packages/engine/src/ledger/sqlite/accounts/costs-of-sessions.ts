import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { daysIn } from './cost-days.ts'
import { SPENT } from './cost-facts.ts'
import { ordered } from './costs-ordered.ts'
import { ANY } from './names.ts'
import { allOf, equals, hasSpan, type Scope, type Where } from './where.ts'

/** Nobody reads more sessions than these at once. */
const MOST_SESSIONS = 10_000

const SUMS = SPENT.map((field) => `total(${field}) AS ${field}`).join(', ')

/** The most costly sessions: found in order where there is no span, else among those of its days. */
export function costsOfSessions(
  statements: Statements,
  scope: Scope,
  model: number | undefined,
  query: CostQuery,
): readonly CostRow[] {
  const most = Math.min(query.limit ?? MOST_SESSIONS, MOST_SESSIONS)
  const where = allOf(equals('model', model ?? ANY), daysIn(scope), scopeIs(scope))
  const found = statements
    .of(
      hasSpan(scope)
        ? `SELECT account, total(cost_micro_usd) AS cost FROM account_costs WHERE ${where.sql}
           GROUP BY account ORDER BY cost DESC, account DESC LIMIT ?`
        : `SELECT account FROM account_costs WHERE ${where.sql}
           ORDER BY cost_micro_usd DESC, account DESC LIMIT ?`,
    )
    .all(...where.values, most)
  const split = query.splitByModel === true
  const models = model !== undefined ? equals('model', model) : split ? EACH_MODEL : equals('model', ANY)
  const own = allOf({ sql: 'account = ?', values: [] }, daysIn(scope), models)
  const rows = statements.of(
    `SELECT ${split ? 'model' : 'NULL'} AS model, ${SUMS} FROM account_costs INDEXED BY account_costs_account
     WHERE ${own.sql} GROUP BY 1`,
  )
  const naming = statements.of("SELECT source || '/' || session_id AS name FROM accounts WHERE number = ?")
  const all = found.flatMap(({ account }) => {
    const name = String(naming.get(Number(account))?.name)
    return rows.all(Number(account), ...own.values).map((row) => ({
      ...(row as unknown as CostRow),
      name,
      model: split ? scope.names.of(Number(row.model)) : null,
      sessions: 1,
    }))
  })
  return ordered(all, query)
}

const EACH_MODEL: Where = { sql: `model <> ${ANY}`, values: [] }

const scopeIs = ({ source, project }: Scope): Where =>
  allOf(
    ...(source === ANY ? [] : [equals('source', source)]),
    ...(project === ANY ? [] : [equals('project', project)]),
  )
