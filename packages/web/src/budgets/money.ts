import type { BudgetState, CostRow } from '@panoptes/schema'
import * as f from '../format.ts'

const MICRO = 1_000_000

/** Formats money to the cent, such as $14.82, because two amounts stand side by side. */
export const formatDollars = (micro: number): string => {
  const usd = micro / MICRO
  return usd >= 1_000 ? `$${f.count(Math.round(usd))}` : `$${usd.toFixed(2)}`
}

/** Formats money where space is tight: $4.82, $15, $12k. */
export const formatShortDollars = (micro: number): string => {
  const usd = micro / MICRO
  return usd < 9.995 ? `$${usd.toFixed(2)}` : `$${f.shortCount(Math.round(usd))}`
}

export interface TodaysSpending {
  readonly spent: number
  /** Replies without a known price. */
  readonly unknown: number
  /** Today's limit across everything; null if none is set. */
  readonly limit: number | null
  readonly level: BudgetState['level']
}

/** What may be spent today on everything: the tightest of such budgets. */
export const findTodaysBudget = (budgets: readonly BudgetState[]): BudgetState | undefined =>
  budgets
    .filter(({ per, project, source }) => per === 'day' && project === null && source === null)
    .sort((a, b) => a.limit_micro_usd - b.limit_micro_usd)[0]

/** Today's spending, taken from today's budget if there is one, else from the day's costs. */
export const sumSpentToday = (budget: BudgetState | undefined, costs: readonly CostRow[]): TodaysSpending =>
  budget
    ? {
        spent: budget.spent_micro_usd,
        unknown: budget.cost_unknown,
        limit: budget.limit_micro_usd,
        level: budget.level,
      }
    : {
        spent: costs.reduce((sum, row) => sum + row.cost_micro_usd, 0),
        unknown: costs.reduce((sum, row) => sum + row.cost_unknown + row.usage_unknown, 0),
        limit: null,
        level: 'under',
      }

/** Sorts the worst budgets first: used-up ones, the most overdrawn at the top. */
export const listUsedUpBudgets = (budgets: readonly BudgetState[]): readonly BudgetState[] =>
  budgets.filter(({ level }) => level === 'over').sort((a, b) => spentShare(b) - spentShare(a))

const spentShare = ({ spent_micro_usd, limit_micro_usd }: BudgetState): number =>
  limit_micro_usd > 0 ? spent_micro_usd / limit_micro_usd : 1
