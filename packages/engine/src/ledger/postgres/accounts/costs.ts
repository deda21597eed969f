import type { CostRow } from '@panoptes/schema'
import { type Asking, rowsOf } from '../../accounts/asking.ts'
import { SPENT } from '../../accounts/cost-facts.ts'
import { type CostSums, costsOf } from '../../accounts/costs.ts'
import { ordered } from '../../accounts/costs-ordered.ts'
import type { CostQuery } from '../../accounts-port.ts'
import { postgres } from './dialect.ts'

export function* costRows(query: CostQuery): Asking<readonly CostRow[]> {
  return ordered(yield* costsOf(postgres, query, summed, (rows) => rows), query)
}

function* summed({ rows: { sql, values }, isByDay, isByModel }: CostSums): Asking<readonly CostRow[]> {
  const named = (column: string) =>
    `LEFT JOIN account_names AS ${column}_name ON ${column}_name.id = g.${column}`
  const rows = yield* rowsOf(
    `SELECT ${isByDay ? 'g.name' : 'name_name.name'} AS name, ${isByModel ? 'model_name.name' : 'NULL'} AS model,
       NULL AS source, sessions, ${SPENT.join(', ')}
     FROM (${sql}) AS g ${isByDay ? '' : named('name')} ${isByModel ? named('model') : ''}`,
    values,
  )
  return rows as readonly unknown[] as readonly CostRow[]
}
