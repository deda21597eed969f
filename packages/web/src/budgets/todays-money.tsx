import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import * as f from '../format.ts'
import { budgetsQuery, costsQuery } from '../ledger/queries.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { findTodaysBudget, formatDollars, formatShortDollars, sumSpentToday } from './money.ts'

const w = words.budgets
const MINUTE_MS = 60_000
const bars = { under: 'bg-gold', near: 'bg-stuck', over: 'bg-failed' } as const

/** Shows today's spending in the rail of every page. */
export function TodaysMoney() {
  const since = f.startOfDay(useNow(MINUTE_MS))
  const budgets = useQuery(budgetsQuery).data
  const budget = budgets && findTodaysBudget(budgets)
  const isFree = budgets !== undefined && budget === undefined
  const costs = useQuery({ ...costsQuery(`by=day&since=${since}`), enabled: isFree }).data
  if (budgets === undefined || (isFree && costs === undefined)) return null
  const { spent, unknown, limit, level } = sumSpentToday(budget, costs ?? [])
  const isUnknown = spent === 0 && unknown > 0
  const money = isUnknown ? words.unknown : formatDollars(spent)
  const most = limit === null ? null : formatDollars(limit)
  const says = [w.todayLabel(money, most), ...(unknown > 0 ? [w.lacks(unknown)] : [])].join('. ')
  return (
    <Link
      to="/ledger"
      title={says}
      className="block rounded-control px-2 py-2 text-11 text-text-3 transition-colors hover:bg-raised max-wide:px-0 max-wide:text-center"
    >
      {/* A narrow rail has no room for all of it, so the figures are a drawing of this. */}
      <span className="sr-only">{says}</span>
      <span aria-hidden="true" className="flex items-baseline justify-between gap-2 max-wide:justify-center">
        <span className="max-wide:hidden">{w.today}</span>
        <span className="min-w-0 truncate max-wide:hidden">
          <b className="font-semibold text-text">{money}</b>
          {most !== null && ` ${w.of(most)}`}
        </span>
        <b className="font-semibold text-text wide:hidden">
          {isUnknown ? words.unknown : formatShortDollars(spent)}
        </b>
      </span>
      {limit !== null && (
        <span aria-hidden="true" className="mt-1.5 block h-1.5 overflow-hidden rounded-tag bg-high">
          <span
            className={`block h-full rounded-tag ${bars[level]}`}
            style={{ width: `${Math.min(1, spent / Math.max(1, limit)) * 100}%` }}
          />
        </span>
      )}
    </Link>
  )
}
