import type { OutcomeRow } from '@panoptes/schema'
import type { AccountFilter, AccountTotals } from '../accounts-port.ts'
import { type Asking, rowOf } from './asking.ts'
import { costDays, daysIn, firstDay } from './cost-days.ts'
import { accountsIn } from './costs-of-accounts.ts'
import { countOf, countsOf } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { ANY, namesOf } from './names.ts'
import { FINISHED } from './rows.ts'
import { allOf, equals, hasSpan, type Scope, scopeOf, sumsIn } from './where.ts'

const ESTIMATE = 'ESTIMATE-HTC'

export function* totalsOf(dialect: Dialect, filter: AccountFilter): Asking<AccountTotals> {
  const scope = yield* scopeOf(dialect, filter, ['none', 'functional', ESTIMATE, 'fails', 'holds'])
  const outcomes = yield* countsOf('agents', scope, ['outcome'], FINISHED)
  const agentsOf = (name: string) => outcomes.find(({ outcome }) => outcome === scope.number(name))?.n ?? 0
  const agents = outcomes.reduce((sum, { n }) => sum + n, 0)
  return {
    ...(scope.accounts === undefined ? yield* spentIn(scope) : yield* spentBy(scope, scope.accounts, filter)),
    agents,
    marked: agents - agentsOf('none'),
    functional: agentsOf('functional'),
    ...(yield* claimsIn(scope)),
    followups: yield* countOf('followups', scope),
  }
}

/** An estimate that was off is no claim that did not hold: what came of those is said as took by said. */
function* claimsIn(scope: Scope): Asking<Pick<AccountTotals, 'claims' | 'claims_checked' | 'claims_failed'>> {
  const [estimate, fails, holds] = [ESTIMATE, 'fails', 'holds'].map(scope.number)
  const totals = { claims: 0, claims_checked: 0, claims_failed: 0 }
  for (const { tier, verdict, n } of yield* countsOf('claims', scope, ['tier', 'verdict'])) {
    totals.claims += n
    if (tier === estimate || (verdict !== fails && verdict !== holds)) continue
    totals.claims_checked += n
    if (verdict === fails) totals.claims_failed += n
  }
  return totals
}

type SpentTotals = Pick<
  AccountTotals,
  'sessions' | 'sessions_without_price' | 'cost_micro_usd' | 'cost_unknown' | 'saved_micro_usd'
>

const FIELDS = ['cost_micro_usd', 'cost_unknown', 'saved_micro_usd'] as const

function* spentIn(scope: Scope): Asking<SpentTotals> {
  const counted = firstDay(scope)
  const { total } = scope.dialect
  function* sums(kind: string): Asking<Record<'sessions' | (typeof FIELDS)[number], number>> {
    const where = allOf(equals('kind', kind), sumsIn(scope), daysIn(scope), equals('model', ANY))
    const row = yield* rowOf(
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
  return { sessions, sessions_without_price, ...spent }
}

function* spentBy(scope: Scope, numbers: readonly number[], filter: AccountFilter): Asking<SpentTotals> {
  const { from, to } = costDays(filter)
  const isIn = (day: string | null) => day !== null && day >= from && (to === undefined || day < to)
  const totals = {
    sessions: 0,
    sessions_without_price: 0,
    cost_micro_usd: 0,
    cost_unknown: 0,
    saved_micro_usd: 0,
  }
  for (const { day, cells } of yield* accountsIn(scope, numbers, filter)) {
    if (cells.length > 0 || isIn(day) || !hasSpan(filter)) totals.sessions += 1
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

export function* outcomesOf(dialect: Dialect, filter: AccountFilter): Asking<readonly OutcomeRow[]> {
  const scope = yield* scopeOf(dialect, filter)
  const counts = yield* countsOf('agents', scope, ['type', 'outcome', 'flagged'], FINISHED)
  const names = yield* namesOf(
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
