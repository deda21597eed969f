import { isConfigPending } from '@panoptes/engine/home'
import type { BudgetState } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CONFIG_PENDING } from '../../terminal/format.ts'
import { dollars, plain } from '../sessions/format.ts'
import { withLedger } from './access.ts'
import { knownUsd, moneyText, percent, printTable, usd } from './format.ts'

export async function budgets(context: Context, options: { readonly csv?: boolean }): Promise<void> {
  const rows = await withLedger(context, (store) => store.budgets())
  const pending = (await isConfigPending(context.paths)) ? CONFIG_PENDING : []
  printTable<BudgetState>(context, options, {
    rows,
    head: ['budget', 'spent', 'of', 'used', 'level', 'session'],
    cells: (one) => [
      plain(one.name, 40),
      moneyText({ cost_micro_usd: one.spent_micro_usd, cost_unknown: one.cost_unknown }),
      dollars(one.limit_micro_usd),
      percent(one.spent_micro_usd / one.limit_micro_usd),
      one.level,
      plain(one.evidence?.session_id ?? '', 40),
    ],
    words: [0, 4, 5],
    cut: { 0: 10 },
    csvHead: [
      'budget',
      'per',
      'project',
      'source',
      'spent_usd',
      'limit_usd',
      'cost_unknown',
      'level',
      'session_id',
    ],
    csvCells: (one) => [
      one.name,
      one.per,
      one.project,
      one.source,
      knownUsd(one.spent_micro_usd, one.cost_unknown),
      usd(one.limit_micro_usd),
      one.cost_unknown,
      one.level,
      one.evidence?.session_id,
    ],
    document: rows,
    empty: [
      'No budgets are set',
      ...(pending.length > 0
        ? pending
        : ["Set one: panoptes config set budgets.limits '[{ per: day, usd: 25 }]'"]),
    ],
    foot: pending,
  })
}
