import type { BudgetState } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { dollars, plain } from '../sessions/words.ts'
import { withLedger } from './access.ts'
import { answerTable } from './answer.ts'
import { moneyText, percent, usd } from './words.ts'

const LEVELS = { under: 'within', near: 'nearly used up', over: 'over' } as const

export async function budgets(context: Context, options: { readonly csv?: boolean }): Promise<void> {
  const rows = await withLedger(context, (ledger) => ledger.budgets())
  answerTable<BudgetState>(context, options, {
    rows,
    head: ['budget', 'spent', 'of', 'used', 'state'],
    cells: (one) => [
      plain(one.name, 40),
      moneyText({ cost_micro_usd: one.spent_micro_usd, cost_unknown: one.cost_unknown }),
      dollars(one.limit_micro_usd),
      percent(one.spent_micro_usd / one.limit_micro_usd),
      LEVELS[one.level],
    ],
    words: [0, 4],
    cut: { 0: 10 },
    csvHead: ['budget', 'per', 'project', 'source', 'spent_usd', 'limit_usd', 'cost_unknown', 'level'],
    csvCells: (one) => [
      one.name,
      one.per,
      one.project,
      one.source,
      usd(one.spent_micro_usd),
      usd(one.limit_micro_usd),
      one.cost_unknown,
      one.level,
    ],
    document: rows,
    empty: ['There are no budgets', 'Write some into config.yaml under budgets: panoptes config path'],
  })
}
