import type { Accounts } from '@panoptes/engine/store'
import type { Budget, BudgetState, Config, CostRow, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

export type BudgetRules = Config['budgets']

const MICRO = 1_000_000
/** The maximum number of sessions examined per day; only the cheapest are left out. */
const MOST_SESSIONS = 200

/** The spending in a period or by a session. */
export interface Spending {
  readonly micro: number
  readonly unknown: number
  readonly session: SessionRef | null
}

/**
 * Total cost by session, with today's cost when it was computed. It is only recomputed after
 * today's cost changed.
 */
export type SessionTotals = Map<string, { readonly today: string; readonly spending: Spending }>

const MAX_CACHED_TOTALS = 2_000

/** A period of whole days in this computer's time zone. */
interface Period {
  readonly since: number
  readonly until: number
  /** The first day: `2026-11-16`. */
  readonly first: string
}

/** Returns what a budget is compared with now: one sum, or one for each session of today. */
export async function readSpending(
  accounts: Pick<Accounts, 'costs'>,
  { per, source, project }: Budget,
  now: number,
  totals: SessionTotals = new Map(),
): Promise<Result<readonly Spending[]>> {
  const { since, until } = currentPeriod(per, now)
  const of = { source, project }
  if (per === 'session') return readSpendingBySession(accounts, { ...of, since, until }, totals)
  const days = await accounts.costs({ by: 'day', since, until, ...of })
  if (!days.ok) return days
  return success([{ ...sumCosts(days.value), session: null }])
}

/** A session is examined on the days it costs something, and counts with its total cost. */
async function readSpendingBySession(
  accounts: Pick<Accounts, 'costs'>,
  day: Omit<Parameters<Accounts['costs']>[0], 'by'>,
  totals: SessionTotals,
): Promise<Result<readonly Spending[]>> {
  const found = await accounts.costs({ by: 'session', limit: MOST_SESSIONS, ...day })
  if (!found.ok) return found
  if (totals.size > MAX_CACHED_TOTALS) totals.clear()
  const all: Spending[] = []
  for (const row of found.value) {
    const today = JSON.stringify([day.since, row])
    const cached = totals.get(row.name)
    const spending =
      cached?.today === today ? success(cached.spending) : await readSessionTotal(accounts, row)
    if (!spending.ok) return spending
    totals.set(row.name, { today, spending: spending.value })
    all.push(spending.value)
  }
  return success(all.sort((a, b) => b.micro - a.micro))
}

async function readSessionTotal(
  accounts: Pick<Accounts, 'costs'>,
  { name, source }: CostRow,
): Promise<Result<Spending>> {
  const session = { source: source ?? '', id: name.slice((source?.length ?? 0) + 1) }
  const whole = await accounts.costs({ by: 'session', source: session.source, session: session.id })
  return whole.ok ? success({ ...sumCosts(whole.value), session }) : whole
}

const sumCosts = (rows: readonly CostRow[]): Pick<Spending, 'micro' | 'unknown'> => ({
  micro: rows.reduce((sum, row) => sum + row.cost_micro_usd, 0),
  unknown: rows.reduce((sum, row) => sum + row.cost_unknown + row.usage_unknown, 0),
})

export const limitMicroUsd = ({ usd }: Pick<Budget, 'usd'>): number => Math.max(1, Math.round(usd * MICRO))

/** Returns `near` from the warning share on, and `over` when nothing is left. */
export function budgetLevel(micro: number, limit: number, warnAt: number): BudgetState['level'] {
  const share = micro / limit
  if (share >= 1) return 'over'
  return micro > 0 && share >= warnAt ? 'near' : 'under'
}

const PLAIN = { day: 'Today', week: 'This week', month: 'This month', session: 'Any session' } as const

export function budgetName({ per, source, project }: Budget): string {
  const whose = [project, source].filter((name) => name !== undefined)
  return whose.length === 0 ? PLAIN[per] : [...whose, per].join(', ')
}

/**
 * Returns the state of a budget; for a session budget, that of the session that used most of it.
 */
function toState(budget: Budget, spending: readonly Spending[], warnAt: number): BudgetState {
  const { micro, unknown, session } = spending[0] ?? { micro: 0, unknown: 0, session: null }
  const limit = limitMicroUsd(budget)
  return {
    name: budgetName(budget),
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
    level: budgetLevel(micro, limit, warnAt),
  }
}

/** Returns the state of every budget in the config, in order. */
export async function readBudgetStates(
  accounts: Pick<Accounts, 'costs'>,
  { limits, warn_at }: BudgetRules,
  now: number,
  totals?: SessionTotals,
): Promise<Result<readonly BudgetState[]>> {
  const states: BudgetState[] = []
  for (const budget of limits) {
    const spending = await readSpending(accounts, budget, now, totals)
    if (!spending.ok) return spending
    states.push(toState(budget, spending.value, warn_at))
  }
  return success(states)
}

/**
 * The current period of a budget. For a session budget it is the day whose sessions are examined.
 */
export function currentPeriod(per: Budget['per'], now: number): Period {
  const date = new Date(now)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (per === 'month') return from(new Date(year, month, 1), new Date(year, month + 1, 1))
  if (per !== 'week') return from(new Date(year, month, day), new Date(year, month, day + 1))
  // Weeks begin on Monday.
  const monday = day - ((date.getDay() + 6) % 7)
  return from(new Date(year, month, monday), new Date(year, month, monday + 7))
}

const from = (since: Date, until: Date): Period => ({
  since: since.getTime(),
  until: until.getTime(),
  first: dayText(since),
})

function dayText(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
