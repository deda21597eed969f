import type { BudgetState, CostRow } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import type { Place } from '../evidence.ts'
import { moneyOf, moneyText } from '../figures.ts'
import { CostPlot } from '../plot/cost-plot.tsx'
import { type Column, columnsOf } from '../plot/days.ts'
import { seriesOf } from '../plot/models.ts'
import { Swatch } from '../plot/patterns.tsx'
import { budgetsQuery, costsQuery } from '../queries.ts'
import { beginOf, type LedgerSearch, queryOf, spanOf } from '../search.ts'

const w = words.ledger.cost
const NAMES = { rest: w.rest, unknown: words.ledger.unknownModel }
const LONGEST = 28
const NO_ROWS: readonly CostRow[] = []

/** Money by day and model, with the budget of a day where there is one. */
export function CostCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(costsQuery(queryOf(search, now, { by: 'day', split: 'model' })))
  const budgets = useQuery(budgetsQuery).data
  const begin = beginOf(spanOf(search), now)
  const rows = query.data ?? NO_ROWS
  const { series, unit, columns, sums } = useMemo(() => drawn(rows, begin, now), [rows, begin, now])
  const unknown = columns.reduce((sum, column) => sum + column.unknown, 0)
  const legend = (
    <ul className="flex flex-wrap justify-end gap-x-3 gap-y-0.5 text-12 text-text-2">
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
    </ul>
  )
  return (
    <Block title={w.title[unit]} query={query} end={legend} lines={6}>
      {(found) =>
        found.length === 0 ? (
          <None>{w.none}</None>
        ) : (
          <CostPlot
            columns={columns}
            series={series}
            budget={unit === 'day' ? dayBudget(budgets, search) : null}
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
  for (const { model, cost_micro_usd: money, cost_unknown: unknown } of rows) {
    const key = keyOf(model)
    const before = sums.get(key) ?? { money: 0, unknown: 0 }
    sums.set(key, { money: before.money + money, unknown: before.unknown + unknown })
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

const sessionsOf = ({ from, to }: Column, { source, project }: LedgerSearch): Place => ({
  to: '/sessions',
  search: {
    since: new Date(from).toISOString(),
    until: new Date(to - 1).toISOString(),
    ...(source === undefined ? {} : { source }),
    ...(project === undefined ? {} : { project }),
  },
})
