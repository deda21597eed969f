import { type Asking, rowOf, rowsOf } from '../../accounts/asking.ts'
import { SPENT } from '../../accounts/cost-facts.ts'
import { type CostSums, costsOf } from '../../accounts/costs.ts'
import { ANY } from '../../accounts/names.ts'
import type { CostQuery } from '../../accounts-port.ts'
import { type CostText, costText } from './cost-rows.ts'
import { sqlite } from './dialect.ts'

export const costTextOf = (query: CostQuery): Asking<CostText> => costsOf(sqlite, query, summed, costText)

function* summed({ rows, isByDay, isByModel }: CostSums): Asking<CostText> {
  const fields = [
    isByDay ? 'g.name' : '(SELECT n.name FROM account_names AS n WHERE n.id = g.name)',
    'g.model',
    'NULL',
    ...['sessions', ...SPENT].map((field) => (isByDay ? field : exactly(field))),
  ]
  const found = yield* rowOf(
    `SELECT json_group_array(json_array(${fields.join(', ')})) AS rows FROM (${rows.sql}) AS g`,
    rows.values,
  )
  return { rows: String(found?.rows), models: isByModel ? yield* models() : new Map() }
}

function* models(): Asking<ReadonlyMap<number, string>> {
  const rows = yield* rowsOf(
    `SELECT id, name FROM account_names WHERE id IN
       (SELECT model FROM account_cost_sums WHERE kind = 'total' AND source = ${ANY} AND project = ${ANY} AND day = '')`,
  )
  return new Map(rows.map((row) => [Number(row.id), String(row.name)]))
}

/** In the text of a number with a fraction the last digits may be lost. */
const exactly = (field: string): string => `iif(${field} < 9e15, CAST(${field} AS INTEGER), ${field})`
