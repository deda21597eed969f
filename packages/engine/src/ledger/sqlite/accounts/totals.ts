import type { OutcomeRow } from '@panoptes/schema'
import type { AccountFilter, AccountTotals } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { costDays, daysIn, firstDay } from './cost-days.ts'
import { accountsIn } from './costs-of-accounts.ts'
import { countOf, countsOf } from './counts.ts'
import { FINISHED } from './rows.ts'
import { allOf, equals, hasSpan, type Scope, scopeOf, sumsIn } from './where.ts'

export function totalsOf(statements: Statements, filter: AccountFilter): AccountTotals {
  const scope = scopeOf(statements, filter)
  const outcomes = countsOf(statements, 'agents', scope, ['outcome'], FINISHED)
  const agentsOf = (name: string) => {
    const number = scope.names.find(name)
    return outcomes.find(({ outcome }) => outcome === number)?.n ?? 0
  }
  const agents = outcomes.reduce((sum, { n }) => sum + n, 0)
  return {
    ...(scope.accounts === undefined
      ? spentIn(statements, scope)
      : spentBy(statements, scope.accounts, filter)),
    agents,
    marked: agents - agentsOf('none'),
    functional: agentsOf('functional'),
    claims: countOf(statements, 'claims', scope),
    claims_failed: countOf(statements, 'claims', scope, equals('verdict', scope.names.find('fails'))),
    followups: countOf(statements, 'followups', scope),
  }
}

type SpentTotals = Pick<
  AccountTotals,
  'sessions' | 'sessions_without_price' | 'cost_micro_usd' | 'cost_unknown' | 'saved_micro_usd'
>

function spentIn(statements: Statements, scope: Scope): SpentTotals {
  const counted = firstDay(scope)
  const sums = (kind: string) => {
    const where = allOf(equals('kind', kind), sumsIn(scope), daysIn(scope), equals('model', 0))
    return statements
      .of(
        `SELECT total(sessions) FILTER (WHERE ${counted.sql}) AS sessions, total(cost_micro_usd) AS cost_micro_usd,
           total(cost_unknown) AS cost_unknown, total(saved_micro_usd) AS saved_micro_usd
         FROM account_cost_sums WHERE ${where.sql}`,
      )
      .get(...counted.values, ...where.values) as unknown as Omit<SpentTotals, 'sessions_without_price'>
  }
  const { cost_micro_usd, cost_unknown, saved_micro_usd } = sums('total')
  const [sessions, sessions_without_price] = [sums('seen').sessions, sums('unpriced').sessions]
  return { sessions, sessions_without_price, cost_micro_usd, cost_unknown, saved_micro_usd }
}

function spentBy(statements: Statements, numbers: readonly number[], filter: AccountFilter): SpentTotals {
  const { from, to } = costDays(filter)
  const isIn = (day: string | null) => day !== null && day >= from && (to === undefined || day < to)
  const totals = {
    sessions: 0,
    sessions_without_price: 0,
    cost_micro_usd: 0,
    cost_unknown: 0,
    saved_micro_usd: 0,
  }
  for (const { day, cells } of accountsIn(statements, numbers, filter)) {
    if (cells.length > 0 || isIn(day) || !hasSpan(filter)) totals.sessions += 1
    if (cells.some(({ cell }) => cell.cost_unknown > 0)) totals.sessions_without_price += 1
    for (const { cell } of cells) {
      totals.cost_micro_usd += cell.cost_micro_usd
      totals.cost_unknown += cell.cost_unknown
      totals.saved_micro_usd += cell.saved_micro_usd
    }
  }
  return totals
}

export function outcomesOf(statements: Statements, filter: AccountFilter): readonly OutcomeRow[] {
  const scope = scopeOf(statements, filter)
  const rows = new Map<number, Record<keyof Omit<OutcomeRow, 'type'>, number>>()
  for (const { type, outcome, flagged, n } of countsOf(
    statements,
    'agents',
    scope,
    ['type', 'outcome', 'flagged'],
    FINISHED,
  )) {
    const row = rows.get(type) ?? {
      agents: 0,
      functional: 0,
      partial: 0,
      scaffolding: 0,
      fail: 0,
      none: 0,
      flagged: 0,
    }
    rows.set(type, row)
    row.agents += n
    row[scope.names.of(outcome) as 'none'] += n
    if (flagged === 1) row.flagged += n
  }
  return [...rows]
    .map(([type, row]) => ({ type: scope.names.of(type), ...row }))
    .sort((a, b) => b.agents - a.agents || (a.type < b.type ? -1 : 1))
}
