import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import { budgetsQuery } from '../ledger/queries.ts'
import { words } from '../words.ts'
import { formatDollars, listUsedUpBudgets } from './money.ts'

const w = words.budgets
const LONGEST = 80

/** Warns above the graph that a budget is used up while agents keep spending. */
export function UsedUpStrip() {
  const [worst] = listUsedUpBudgets(useQuery(budgetsQuery).data ?? [])
  if (!worst) return null
  return (
    <Strip
      glyph="stuck"
      end={
        <Link to="/ledger" className={buttonClass()}>
          {w.show}
        </Link>
      }
    >
      {w.strip(
        toVisibleLine(worst.name, LONGEST),
        formatDollars(worst.spent_micro_usd),
        formatDollars(worst.limit_micro_usd),
      )}
    </Strip>
  )
}
