import type { CostRow } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { budget } from '../ledger/ledger.test-kit.ts'
import { budgetEvent } from './budgets.test-kit.ts'
import {
  findTodaysBudget,
  formatDollars,
  formatShortDollars,
  listUsedUpBudgets,
  sumSpentToday,
} from './money.ts'
import { findThresholdCrossings } from './threshold-crossings.ts'

const NOW = 1_795_000_000_000
const row = (cost_micro_usd: number, cost_unknown = 0) =>
  ({ name: '2026-11-16', cost_micro_usd, cost_unknown, usage_unknown: 0 }) as CostRow
describe('the spending of today', () => {
  it('uses the tightest overall budget of the day', () => {
    const budgets = [
      budget({ per: 'week', limit_micro_usd: 1 }),
      budget({ project: 'shop', limit_micro_usd: 2 }),
      budget(),
      budget({ limit_micro_usd: 20_000_000, cost_unknown: 2, level: 'near' }),
    ]
    expect(sumSpentToday(findTodaysBudget(budgets), [])).toEqual({
      spent: 14_820_000,
      unknown: 2,
      limit: 20_000_000,
      level: 'near',
    })
  })

  it('sums the costs of the day when there is no budget', () => {
    expect(findTodaysBudget([budget({ per: 'week' })])).toBeUndefined()
    expect(sumSpentToday(undefined, [row(3_000_000, 3)])).toEqual({
      spent: 3_000_000,
      unknown: 3,
      limit: null,
      level: 'under',
    })
    const untold = { ...row(1_000_000, 1), usage_unknown: 4 }
    expect(sumSpentToday(undefined, [row(3_000_000, 3), untold])).toMatchObject({
      spent: 4_000_000,
      unknown: 8,
    })
    expect(sumSpentToday(undefined, [])).toMatchObject({ spent: 0, unknown: 0 })
  })

  it('formats money to the cent', () => {
    expect([0, 14_820_000, 4_000, 12_345_600_000].map(formatDollars)).toEqual([
      '$0.00',
      '$14.82',
      '$0.00',
      '$12,346',
    ])
  })

  it('formats money in a short form for narrow places', () => {
    expect([0, 4_820_000, 9_996_000, 14_820_000, 1_234_000_000].map(formatShortDollars)).toEqual([
      '$0.00',
      '$4.82',
      '$10',
      '$15',
      '$1,234',
    ])
  })

  it('lists used-up budgets, the most overdrawn first', () => {
    const over = (name: string, spent_micro_usd: number) => budget({ name, spent_micro_usd, level: 'over' })
    expect(listUsedUpBudgets([over('a', 26e6), budget(), over('b', 50e6)]).map(({ name }) => name)).toEqual([
      'b',
      'a',
    ])
  })
})

describe('budget announcements', () => {
  it('contain only new levels, and the higher one of each budget', () => {
    const passed = findThresholdCrossings(
      [
        budgetEvent({}),
        budgetEvent({ key: 'k2', level: 'over', spent_usd: 26 }),
        budgetEvent({ key: 'k3', budget: 'shop, week' }),
        budgetEvent({ key: 'old', budget: 'old', ts: NOW - 120_000 }),
        budgetEvent({ key: 'x', event: 'prompt' }),
        budgetEvent({ key: 'odd', budget: null }),
      ],
      NOW,
    )
    expect(passed).toEqual([
      { key: 'k2', name: 'Today', level: 'over', spent: 26_000_000, limit: 25_000_000 },
      { key: 'k3', name: 'shop, week', level: 'near', spent: 20_000_000, limit: 25_000_000 },
    ])
  })

  it('leave out nearly used up once the same budget is used up, in any event order', () => {
    const levels = (...events: readonly ReturnType<typeof budgetEvent>[]) =>
      findThresholdCrossings(events, NOW).map(({ level }) => level)
    expect(levels(budgetEvent({ level: 'over' }), budgetEvent({ key: 'k2' }))).toEqual(['over'])
    expect(levels(budgetEvent({ level: 'over' }), budgetEvent({ key: 'k2', limit_usd: 50 }))).toEqual([
      'over',
      'near',
    ])
  })
})
