import type { CostRow } from '@panoptes/schema'
import { type Asking, rowOf, rowsOf } from '../../accounts/asking.ts'
import { SPENT } from '../../accounts/cost-facts.ts'
import { sessionsMeant } from '../../accounts/costs-of-sessions.ts'
import { namesOf } from '../../accounts/names.ts'
import type { Scope } from '../../accounts/where.ts'
import type { CostQuery } from '../../accounts-port.ts'

const SUMS = SPENT.map((field) => `total(${field}) AS ${field}`).join(', ')

export function* costsOfSessions(
  scope: Scope,
  query: CostQuery,
  model: number | undefined,
): Asking<readonly CostRow[]> {
  const { found, own } = sessionsMeant(scope, query, model)
  const split = query.splitByModel === true
  const all: (CostRow & { readonly by: number })[] = []
  for (const { account } of yield* rowsOf(found.sql, found.values)) {
    const number = Number(account)
    const named = yield* rowOf(
      "SELECT source, source || '/' || session_id AS name FROM accounts WHERE number = ?",
      [number],
    )
    const rows = yield* rowsOf(
      `SELECT ${split ? 'model' : 'NULL'} AS model, ${SUMS} FROM account_costs INDEXED BY account_costs_account
       WHERE account = ? AND ${own.sql} GROUP BY 1`,
      [number, ...own.values],
    )
    for (const row of rows)
      all.push({
        ...(row as unknown as CostRow),
        by: Number(row.model),
        name: String(named?.name),
        source: String(named?.source),
        sessions: 1,
      })
  }
  if (!split) return all
  const names = yield* namesOf(
    scope.dialect,
    all.map(({ by }) => by),
  )
  return all.map((row) => ({ ...row, model: names.of(row.by) }))
}
