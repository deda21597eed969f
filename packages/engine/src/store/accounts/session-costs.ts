import type { CostQuery } from '../accounts-port.ts'
import { daysIn } from './cost-days.ts'
import type { Where } from './dialect.ts'
import { ANY } from './names.ts'
import { and, equals, hasSpan, type Scope } from './where-clause.ts'

/** The most sessions that one query reads. */
const MOST_SESSIONS = 10_000

interface SessionsMeant {
  /** Selects the numbers of the accounts. */
  readonly found: Where
  /** Selects the costs within an account. */
  readonly own: Where
}

/**
 * Finds the most expensive sessions: by index when there is no span, otherwise among the sessions of its
 * days.
 */
export function sessionsMeant(scope: Scope, query: CostQuery, model: number | undefined): SessionsMeant {
  const days = daysIn(scope)
  const most = Math.min(query.limit ?? MOST_SESSIONS, MOST_SESSIONS)
  const where = and(equals('model', model ?? ANY), days, scopeIs(scope))
  const sql = hasSpan(scope)
    ? `SELECT account, ${scope.dialect.total('cost_micro_usd')} AS cost FROM account_costs WHERE ${where.sql}
       GROUP BY account ORDER BY cost DESC, account DESC LIMIT ?`
    : `SELECT account FROM account_costs WHERE ${where.sql}
       ORDER BY cost_micro_usd DESC, account DESC LIMIT ?`
  const each = query.splitByModel ? EACH_MODEL : equals('model', ANY)
  return {
    found: { sql, values: [...where.values, most] },
    own: and(days, model === undefined ? each : equals('model', model)),
  }
}

const EACH_MODEL: Where = { sql: `model > ${ANY}`, values: [] }

const scopeIs = ({ source, project }: Scope): Where =>
  and(
    ...(source === ANY ? [] : [equals('source', source)]),
    ...(project === ANY ? [] : [equals('project', project)]),
  )
