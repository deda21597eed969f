import type { Accounts } from '@panoptes/engine/ledger'
import type { Budget, BudgetState, Config, CostRow, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { periodOf } from './period.ts'

export type BudgetRules = Config['budgets']

const MICRO = 1_000_000
/** Sessions of a day beyond these are no longer looked at one by one; they are those that cost least. */
const MOST_SESSIONS = 200

/** What was spent on something: in a time, or by a session. */
export interface Spending {
  readonly micro: number
  readonly unknown: number
  readonly session: SessionRef | null
}

/** What sessions cost so far, and by what of today that was asked: it is asked again only when that is another. */
export type SessionTotals = Map<string, { readonly today: string; readonly spending: Spending }>

const MOST_KNOWN = 2_000

/** What one budget is measured against now: one sum, or one for each session of today. */
export async function spendingOf(
  accounts: Pick<Accounts, 'costs'>,
  { per, source, project }: Budget,
  now: number,
  totals: SessionTotals = new Map(),
): Promise<Result<readonly Spending[]>> {
  const { since, until } = periodOf(per, now)
  const of = { source, project }
  if (per === 'session') return sessionsOf(accounts, { ...of, since, until }, totals)
  const days = await accounts.costs({ by: 'day', since, until, ...of })
  if (!days.ok) return days
  return success([{ ...sumOf(days.value), session: null }])
}

/** A session is looked at on the days it costs something, and counts with all that it ever cost. */
async function sessionsOf(
  accounts: Pick<Accounts, 'costs'>,
  day: Omit<Parameters<Accounts['costs']>[0], 'by'>,
  totals: SessionTotals,
): Promise<Result<readonly Spending[]>> {
  const found = await accounts.costs({ by: 'session', limit: MOST_SESSIONS, ...day })
  if (!found.ok) return found
  if (totals.size > MOST_KNOWN) totals.clear()
  const all: Spending[] = []
  for (const row of found.value) {
    const today = JSON.stringify([day.since, row])
    const known = totals.get(row.name)
    const spending = known?.today === today ? success(known.spending) : await sessionOf(accounts, row.name)
    if (!spending.ok) return spending
    totals.set(row.name, { today, spending: spending.value })
    all.push(spending.value)
  }
  return success(all.sort((a, b) => b.micro - a.micro))
}

async function sessionOf(accounts: Pick<Accounts, 'costs'>, name: string): Promise<Result<Spending>> {
  const cut = name.indexOf('/')
  const session = { source: name.slice(0, cut), id: name.slice(cut + 1) }
  const whole = await accounts.costs({ by: 'session', source: session.source, session: session.id })
  return whole.ok ? success({ ...sumOf(whole.value), session }) : whole
}

const sumOf = (rows: readonly CostRow[]): Pick<Spending, 'micro' | 'unknown'> => ({
  micro: rows.reduce((sum, row) => sum + row.cost_micro_usd, 0),
  unknown: rows.reduce((sum, row) => sum + row.cost_unknown + row.usage_unknown, 0),
})

export const limitOf = ({ usd }: Pick<Budget, 'usd'>): number => Math.max(1, Math.round(usd * MICRO))

/** Near from the part on at which to warn, over when nothing is left. */
export function levelOf(micro: number, limit: number, warnAt: number): BudgetState['level'] {
  const share = micro / limit
  if (share >= 1) return 'over'
  return micro > 0 && share >= warnAt ? 'near' : 'under'
}

const PLAIN = { day: 'Today', week: 'This week', month: 'This month', session: 'Any session' } as const

export function nameOf({ per, source, project }: Budget): string {
  const whose = [project, source].filter((name) => name !== undefined)
  return whose.length === 0 ? PLAIN[per] : [...whose, per].join(', ')
}

/** How a budget stands: of a session's, the session that has used most of it. */
export function stateOf(budget: Budget, spending: readonly Spending[], warnAt: number): BudgetState {
  const { micro, unknown, session } = spending[0] ?? { micro: 0, unknown: 0, session: null }
  const limit = limitOf(budget)
  return {
    name: nameOf(budget),
    per: budget.per,
    project: budget.project ?? null,
    source: budget.source ?? null,
    limit_micro_usd: limit,
    spent_micro_usd: micro,
    cost_unknown: unknown,
    evidence: session && {
      source: session.source,
      session_id: session.id,
      agent_id: 'main',
      n: null,
      tool_use_id: null,
      quote: null,
    },
    level: levelOf(micro, limit, warnAt),
  }
}

/** How every budget of the config stands, in its order. */
export async function budgetsOf(
  accounts: Pick<Accounts, 'costs'>,
  { limits, warn_at }: BudgetRules,
  now: number,
  totals?: SessionTotals,
): Promise<Result<readonly BudgetState[]>> {
  const states: BudgetState[] = []
  for (const budget of limits) {
    const spending = await spendingOf(accounts, budget, now, totals)
    if (!spending.ok) return spending
    states.push(stateOf(budget, spending.value, warn_at))
  }
  return success(states)
}
