import { SPENT } from '../../accounts/cost-facts.ts'
import { type CostSums, queryCosts } from '../../accounts/costs.ts'
import { ANY } from '../../accounts/names.ts'
import { outsideRows } from '../../accounts/outside-costs.ts'
import { type Asking, queryRow, queryRows } from '../../accounts/query-generator.ts'
import type { CostQuery } from '../../accounts-port.ts'
import { type AllCostText, type CostText, costText } from './cost-rows.ts'
import { sqlite } from './dialect.ts'

export function* queryCostText(query: CostQuery): Asking<AllCostText> {
  const text = yield* queryCosts(sqlite, query, summed, costText)
  return { ...text, outside: yield* outsideRows(sqlite, query) }
}

function* summed({ rows, isByDay, isByModel }: CostSums): Asking<CostText> {
  const fields = [
    isByDay ? 'g.name' : '(SELECT n.name FROM account_names AS n WHERE n.id = g.name)',
    'g.model',
    'NULL',
    ...['sessions', ...SPENT].map((field) => (isByDay ? field : exactly(field))),
  ]
  const found = yield* queryRow(
    `SELECT json_group_array(json_array(${fields.join(', ')})) AS rows FROM (${rows.sql}) AS g`,
    rows.values,
  )
  return { rows: String(found?.rows), models: isByModel ? yield* models() : new Map() }
}

function* models(): Asking<ReadonlyMap<number, string>> {
  const rows = yield* queryRows(
    `SELECT id, name FROM account_names WHERE id IN
       (SELECT model FROM account_cost_sums WHERE kind = 'total' AND source = ${ANY} AND project = ${ANY} AND day = '')`,
  )
  return new Map(rows.map((row) => [Number(row.id), String(row.name)]))
}

/** The text of a floating-point number may lose its last digits, so whole numbers are cast. */
const exactly = (field: string): string => `iif(${field} < 9e15, CAST(${field} AS INTEGER), ${field})`
