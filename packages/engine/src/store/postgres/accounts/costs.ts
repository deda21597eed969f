import type { CostRow } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import { ordered } from '../../accounts/cost-order.ts'
import { type CostSums, queryCosts } from '../../accounts/costs.ts'
import { outsideRows, withOutside } from '../../accounts/outside-costs.ts'
import { type Asking, queryRows } from '../../accounts/query-generator.ts'
import type { CostQuery } from '../../accounts-port.ts'
import { postgres } from './dialect.ts'

export function* costRows(query: CostQuery): Asking<readonly CostRow[]> {
  const rows = yield* queryCosts(postgres, query, summed, (found) => found)
  return ordered(withOutside(rows, yield* outsideRows(postgres, query)), query)
}

function* summed({ rows: { sql, values }, isByDay, isByModel }: CostSums): Asking<readonly CostRow[]> {
  const named = (column: string) =>
    `LEFT JOIN account_names AS ${column}_name ON ${column}_name.id = g.${column}`
  const rows = yield* queryRows(
    `SELECT ${isByDay ? 'g.name' : 'name_name.name'} AS name, ${isByModel ? 'model_name.name' : 'NULL'} AS model,
       NULL AS source, sessions, ${SPENT.join(', ')}
     FROM (${sql}) AS g ${isByDay ? '' : named('name')} ${isByModel ? named('model') : ''}`,
    values,
  )
  return rows as readonly unknown[] as readonly CostRow[]
}
