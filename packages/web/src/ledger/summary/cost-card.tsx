import type { BudgetState, CostRow } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import type { Place } from '../evidence.ts'
import { formatMicroUsd, limitText, moneyText } from '../format.ts'
import { CostPlot } from '../plot/cost-plot.tsx'
import { budgetLine, buildColumns, type Column, dayName, unknownReplies } from '../plot/days.ts'
import { buildSeries } from '../plot/models.ts'
import { Swatch } from '../plot/patterns.tsx'
import { budgetsQuery, costsQuery } from '../queries.ts'
import { type LedgerSearch, timeBounds, toQueryString, toTab } from '../search-params.ts'
import { describeScope } from '../span-text.ts'

const w = words.ledger.cost
const NAMES = { rest: w.rest, unknown: words.ledger.unknownModel }
const LONGEST = 28
const NO_ROWS: readonly CostRow[] = []

/** Money by day and model, with the daily budget if there is one. */
export function CostCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(costsQuery(toQueryString(search, now, { by: 'day', split: 'model' })))
  const budgets = useQuery(budgetsQuery).data
  const { begin, end } = timeBounds(search, now)
  const last = Math.min(now, end ?? now)
  const rows = useMemo(() => (query.data ?? NO_ROWS).filter(isPlotted), [query.data])
  const { series, unit, columns, sums } = useMemo(() => selectPlotted(rows, begin, last), [rows, begin, last])
  const unknown = columns.reduce((sum, column) => sum + column.unknown, 0)
  const line = unit === 'day' ? budgetLine(dayBudget(budgets, search), columns) : null
  const legend = (
    <ul className="flex flex-wrap gap-x-3 desk:justify-end gap-y-0.5 text-12 text-text-2">
      {series.map((one) => (
        <li key={one.key} className="flex items-center gap-1.5">
          <Swatch series={one} />
          {toVisibleLine(one.name, LONGEST)}
          <b className="font-semibold text-text">{sumText(sums.get(one.key))}</b>
        </li>
      ))}
      {unknown > 0 && (
        <li className="flex items-center gap-1.5" title={w.noPrice(unknown)}>
          <svg width="12" height="12" aria-hidden="true">
            <line
              x1="0"
              x2="12"
              y1="6"
              y2="6"
              className="stroke-text-2"
              strokeWidth="1.5"
              strokeDasharray="2 2"
            />
          </svg>
          {w.noPriceMark}
        </li>
      )}
      {line !== null && rows.length > 0 && (
        <li className="flex items-center gap-1.5 text-gold-text">
          <svg width="16" height="12" aria-hidden="true">
            <line
              x1="0"
              x2="16"
              y1="6"
              y2="6"
              stroke="currentColor"
              strokeWidth="1.5"
              strokeDasharray="5 4"
            />
          </svg>
          {w.budget(limitText(line))}
        </li>
      )}
    </ul>
  )
  return (
    <Block title={w.title[unit]} query={query} end={legend} lines={6} grow>
      {(found) =>
        found.length === 0 ? (
          <None>{w.none(describeScope(search))}</None>
        ) : (
          <CostPlot
            columns={columns}
            series={series}
            line={line}
            now={now}
            columnPlace={(column) => columnSessions(column, search)}
          />
        )
      }
    </Block>
  )
}

/**
 * Returns whether a row belongs in the plot. Sessions without a reply, and replies that failed before they used
 * a token, name no model: drawn, they would look like a free one.
 */
const isPlotted = (row: CostRow) =>
  row.cost_micro_usd > 0 || unknownReplies(row) > 0 || row.tokens_in + row.tokens_out + row.cache_read > 0

interface Sum {
  readonly money: number
  readonly unknown: number
}

function selectPlotted(rows: readonly CostRow[], begin: number | null, now: number) {
  const { series, keyOf } = buildSeries(rows, NAMES)
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const key = keyOf(row.model)
    const before = sums.get(key) ?? { money: 0, unknown: 0 }
    sums.set(key, { money: before.money + row.cost_micro_usd, unknown: before.unknown + unknownReplies(row) })
  }
  return { series, sums, ...buildColumns(rows, { begin, now, keyOf }) }
}

const sumText = (sum: Sum | undefined): string =>
  sum === undefined ? words.unknown : sum.money === 0 ? moneyText(0, sum.unknown) : formatMicroUsd(sum.money)

/** The budget to compare the bars with: the overall one, or the one of the shown part. */
function dayBudget(budgets: readonly BudgetState[] | undefined, search: LedgerSearch): number | null {
  const own = budgets?.find(
    ({ per, project, source }) =>
      per === 'day' && project === (search.project ?? null) && source === (search.source ?? null),
  )
  return search.session === undefined && own ? own.limit_micro_usd : null
}

/** Every session of a bar, including those known only by events. */
const columnSessions = ({ from, to }: Column, search: LedgerSearch): Place => ({
  to: '/ledger',
  search: { ...toTab(search, 'costs'), from: dayName(from), to: dayName(to - 1), by: 'session' },
})
