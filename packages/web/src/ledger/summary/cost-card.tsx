import type { BudgetState, CostRow } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import type { Place } from '../evidence.ts'
import { limitOf, moneyOf, moneyText } from '../figures.ts'
import { CostPlot } from '../plot/cost-plot.tsx'
import { type Column, columnsOf, dayName, lineOf, unknownOf } from '../plot/days.ts'
import { seriesOf } from '../plot/models.ts'
import { Swatch } from '../plot/patterns.tsx'
import { budgetsQuery, costsQuery } from '../queries.ts'
import { boundsOf, type LedgerSearch, queryOf, toTab } from '../search.ts'
import { whereOf } from '../span-text.ts'

const w = words.ledger.cost
const NAMES = { rest: w.rest, unknown: words.ledger.unknownModel }
const LONGEST = 28
const NO_ROWS: readonly CostRow[] = []

/** Money by day and model, with the budget of a day where there is one. */
export function CostCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(costsQuery(queryOf(search, now, { by: 'day', split: 'model' })))
  const budgets = useQuery(budgetsQuery).data
  const { begin, end } = boundsOf(search, now)
  const last = Math.min(now, end ?? now)
  const rows = query.data ?? NO_ROWS
  const { series, unit, columns, sums } = useMemo(() => drawn(rows, begin, last), [rows, begin, last])
  const unknown = columns.reduce((sum, column) => sum + column.unknown, 0)
  const line = unit === 'day' ? lineOf(dayBudget(budgets, search), columns) : null
  const legend = (
    <ul className="flex flex-wrap gap-x-3 desk:justify-end gap-y-0.5 text-12 text-text-2">
      {series.map((one) => (
        <li key={one.key} className="flex items-center gap-1.5">
          <Swatch series={one} />
          {oneLine(one.name, LONGEST)}
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
          {w.budget(limitOf(line))}
        </li>
      )}
    </ul>
  )
  return (
    <Block title={w.title[unit]} query={query} end={legend} lines={6} grow>
      {(found) =>
        found.length === 0 ? (
          <None>{w.none(whereOf(search))}</None>
        ) : (
          <CostPlot
            columns={columns}
            series={series}
            line={line}
            now={now}
            placeOf={(column) => sessionsOf(column, search)}
          />
        )
      }
    </Block>
  )
}

interface Sum {
  readonly money: number
  readonly unknown: number
}

function drawn(rows: readonly CostRow[], begin: number | null, now: number) {
  const { series, keyOf } = seriesOf(rows, NAMES)
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const key = keyOf(row.model)
    const before = sums.get(key) ?? { money: 0, unknown: 0 }
    sums.set(key, { money: before.money + row.cost_micro_usd, unknown: before.unknown + unknownOf(row) })
  }
  return { series, sums, ...columnsOf(rows, { begin, now, keyOf }) }
}

const sumText = (sum: Sum | undefined): string =>
  sum === undefined ? words.unknown : sum.money === 0 ? moneyText(0, sum.unknown) : moneyOf(sum.money)

/** The budget that the bars are to be held against: of everything, or of what is shown alone. */
function dayBudget(budgets: readonly BudgetState[] | undefined, search: LedgerSearch): number | null {
  const own = budgets?.find(
    ({ per, project, source }) =>
      per === 'day' && project === (search.project ?? null) && source === (search.source ?? null),
  )
  return search.session === undefined && own ? own.limit_micro_usd : null
}

/** Of a bar, every session that is part of it: also those that are known by events alone. */
const sessionsOf = ({ from, to }: Column, search: LedgerSearch): Place => ({
  to: '/ledger',
  search: { ...toTab(search, 'costs'), from: dayName(from), to: dayName(to - 1), by: 'session' },
})
