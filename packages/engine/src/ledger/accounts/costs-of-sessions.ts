import type { CostQuery } from '../accounts-port.ts'
import type { Where } from './asking.ts'
import { daysIn } from './cost-days.ts'
import { ANY } from './names.ts'
import { allOf, equals, hasSpan, type Scope } from './where.ts'

/** Nobody reads more sessions than these at once. */
const MOST_SESSIONS = 10_000

interface SessionsMeant {
  /** The question for the numbers of the accounts. */
  readonly found: Where
  /** What of an account's costs is asked for. */
  readonly own: Where
}

/** The most costly sessions: found in order where there is no span, else among those of its days. */
export function sessionsMeant(scope: Scope, query: CostQuery, model: number | undefined): SessionsMeant {
  const days = daysIn(scope)
  const most = Math.min(query.limit ?? MOST_SESSIONS, MOST_SESSIONS)
  const where = allOf(equals('model', model ?? ANY), days, scopeIs(scope))
  const sql = hasSpan(scope)
    ? `SELECT account, ${scope.dialect.total('cost_micro_usd')} AS cost FROM account_costs WHERE ${where.sql}
       GROUP BY account ORDER BY cost DESC, account DESC LIMIT ?`
    : `SELECT account FROM account_costs WHERE ${where.sql}
       ORDER BY cost_micro_usd DESC, account DESC LIMIT ?`
  const each = query.splitByModel ? EACH_MODEL : equals('model', ANY)
  return {
    found: { sql, values: [...where.values, most] },
    own: allOf(days, model === undefined ? each : equals('model', model)),
  }
}

const EACH_MODEL: Where = { sql: `model <> ${ANY}`, values: [] }

const scopeIs = ({ source, project }: Scope): Where =>
  allOf(
    ...(source === ANY ? [] : [equals('source', source)]),
    ...(project === ANY ? [] : [equals('project', project)]),
  )
