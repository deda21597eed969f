import type { OutcomeRow } from '@panoptes/schema'
import type { AccountFilter, AccountTotals } from '../accounts-port.ts'
import { accountsIn } from './account-costs.ts'
import { costDays, daysIn, firstDay } from './cost-days.ts'
import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRow } from './dialect.ts'
import { queryCount, queryCounts } from './lists.ts'
import { ANY, queryNames } from './names.ts'
import { FINISHED } from './rows.ts'
import { and, equals, hasSpan, matchSums, resolveScope, type Scope } from './where-clause.ts'

const ESTIMATE = 'ESTIMATE-HTC'

export function* queryTotals(dialect: Dialect, filter: AccountFilter): QueryGenerator<AccountTotals> {
  const scope = yield* resolveScope(dialect, filter, [
    'none',
    'functional',
    'stopped',
    'lost',
    ESTIMATE,
    'fails',
    'holds',
  ])
  const outcomes = yield* queryCounts('agents', scope, ['outcome'], FINISHED)
  const agentCount = (name: string) => outcomes.find(({ outcome }) => outcome === scope.number(name))?.n ?? 0
  const agents = outcomes.reduce((sum, { n }) => sum + n, 0)
  return {
    ...(scope.accounts === undefined
      ? yield* querySpent(scope)
      : yield* querySpentOfAccounts(scope, scope.accounts, filter)),
    agents,
    marked: agents - ['none', 'stopped', 'lost'].reduce((sum, name) => sum + agentCount(name), 0),
    functional: agentCount('functional'),
    ...(yield* claimsIn(scope)),
    followups: yield* queryCount('followups', scope),
  }
}

/**
 * Estimates do not count as failed claims when they were off; their result is reported as actual duration
 * relative to the estimate.
 */
function* claimsIn(
  scope: Scope,
): QueryGenerator<Pick<AccountTotals, 'claims' | 'claims_checked' | 'claims_failed'>> {
  const [estimate, fails, holds] = [ESTIMATE, 'fails', 'holds'].map(scope.number)
  const totals = { claims: 0, claims_checked: 0, claims_failed: 0 }
  for (const { tier, verdict, n } of yield* queryCounts('claims', scope, ['tier', 'verdict'])) {
    totals.claims += n
    if (tier === estimate || (verdict !== fails && verdict !== holds)) continue
    totals.claims_checked += n
    if (verdict === fails) totals.claims_failed += n
  }
  return totals
}

type SpentTotals = Pick<
  AccountTotals,
  | 'sessions'
  | 'sessions_without_price'
  | 'cost_micro_usd'
  | 'cost_unknown'
  | 'saved_micro_usd'
  | 'outside_micro_usd'
  | 'outside_unknown'
>

const FIELDS = ['cost_micro_usd', 'cost_unknown', 'saved_micro_usd'] as const

function* querySpent(scope: Scope): QueryGenerator<SpentTotals> {
  const counted = firstDay(scope)
  const { total } = scope.dialect
  function* sums(kind: string): QueryGenerator<Record<'sessions' | (typeof FIELDS)[number], number>> {
    const where = and(equals('kind', kind), matchSums(scope), daysIn(scope), equals('model', ANY))
    const row = yield* queryRow(
      `SELECT ${total('sessions', counted.sql)} AS sessions, ${FIELDS.map((field) => `${total(field)} AS ${field}`).join(', ')}
       FROM account_cost_sums WHERE ${where.sql}`,
      [...counted.values, ...where.values],
    )
    return {
      sessions: Number(row?.sessions),
      cost_micro_usd: Number(row?.cost_micro_usd),
      cost_unknown: Number(row?.cost_unknown),
      saved_micro_usd: Number(row?.saved_micro_usd),
    }
  }
  const { sessions: _, ...spent } = yield* sums('total')
  const { sessions } = yield* sums('seen')
  const { sessions: sessions_without_price } = yield* sums('unpriced')
  const { cost_micro_usd: outside_micro_usd } = yield* sums('outside')
  const { sessions: reported } = yield* sums('seen_reported')
  return {
    sessions,
    sessions_without_price,
    ...spent,
    outside_micro_usd,
    outside_unknown: sessions - reported,
  }
}

function* querySpentOfAccounts(
  scope: Scope,
  numbers: readonly number[],
  filter: AccountFilter,
): QueryGenerator<SpentTotals> {
  const { from, to } = costDays(filter)
  const isIn = (day: string | null) => day !== null && day >= from && (to === undefined || day < to)
  const totals = {
    sessions: 0,
    sessions_without_price: 0,
    cost_micro_usd: 0,
    cost_unknown: 0,
    saved_micro_usd: 0,
    outside_micro_usd: 0,
    outside_unknown: 0,
  }
  for (const { day, cells, outside, outsideOn } of yield* accountsIn(scope, numbers, filter)) {
    if (cells.length > 0 || isIn(day) || !hasSpan(filter)) {
      totals.sessions += 1
      if (!outside) totals.outside_unknown += 1
    }
    if (outside && outsideOn !== null) totals.outside_micro_usd += outside.cost_micro_usd
    if (cells.some(({ cell }) => cell.cost_unknown + cell.usage_unknown > 0))
      totals.sessions_without_price += 1
    for (const { cell } of cells) {
      totals.cost_micro_usd += cell.cost_micro_usd
      totals.cost_unknown += cell.cost_unknown
      totals.saved_micro_usd += cell.saved_micro_usd
    }
  }
  return totals
}

export function* queryOutcomes(
  dialect: Dialect,
  filter: AccountFilter,
): QueryGenerator<readonly OutcomeRow[]> {
  const scope = yield* resolveScope(dialect, filter)
  const counts = yield* queryCounts('agents', scope, ['type', 'outcome', 'flagged'], FINISHED)
  const names = yield* queryNames(
    dialect,
    counts.flatMap(({ type, outcome }) => [type, outcome]),
  )
  const rows = new Map<number, Record<keyof Omit<OutcomeRow, 'type'>, number>>()
  for (const { type, outcome, flagged, n } of counts) {
    const row = rows.get(type) ?? {
      agents: 0,
      functional: 0,
      partial: 0,
      scaffolding: 0,
      fail: 0,
      stopped: 0,
      lost: 0,
      none: 0,
      flagged: 0,
    }
    rows.set(type, row)
    row.agents += n
    row[names.of(outcome) as 'none'] += n
    if (flagged === 1) row.flagged += n
  }
  return [...rows]
    .map(([type, row]) => ({ type: names.of(type), ...row }))
    .sort((a, b) => b.agents - a.agents || (a.type < b.type ? -1 : 1))
}
