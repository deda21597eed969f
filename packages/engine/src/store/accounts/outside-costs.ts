import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import { outsideOfAccounts } from './account-costs.ts'
import { daysIn, firstDay } from './cost-days.ts'
import { createZeroSpent, SPENT } from './cost-facts.ts'
import { costGroup, modelIs } from './costs.ts'
import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRows } from './dialect.ts'
import { OUTSIDE, queryNames } from './names.ts'
import { sessionsMeant } from './session-costs.ts'
import { and, equals, matchSums, resolveScope } from './where-clause.ts'

/** Holds what clients report as spent outside their transcripts, for one row of costs. */
export interface OutsideRow {
  readonly name: string
  readonly model: string | null
  readonly cost_micro_usd: number
  /** The sessions that report it. */
  readonly sessions: number
}

/** Returns null when the rows are grouped by something for which outside spending is not reported. */
export function* outsideRows(
  dialect: Dialect,
  query: CostQuery,
): QueryGenerator<readonly OutsideRow[] | null> {
  const { by, splitByModel: split = false } = query
  if (by === 'agent' || by === 'skill') return null
  const scope = yield* resolveScope(dialect, query, [query.model])
  const model = query.model === undefined ? undefined : scope.number(query.model)
  if (scope.accounts !== undefined) return yield* outsideOfAccounts(scope, scope.accounts, query)
  if (by === 'session') {
    // Outside spending of a single model is not stored per session.
    if (model !== undefined || split) return null
    // The client of a session whose last day is outside the span does report its spending, but none of it is
    // in the span.
    const where = equals('model', OUTSIDE)
    const days = daysIn(scope)
    const { found } = sessionsMeant(scope, query, model)
    const rows = yield* queryRows(
      `SELECT a.source || '/' || a.session_id AS name, own.cost FROM accounts AS a JOIN (
         SELECT account, ${dialect.total('cost_micro_usd', days.sql)} AS cost FROM account_costs
         WHERE ${where.sql} AND account IN (SELECT account FROM (${found.sql}) AS meant) GROUP BY account
       ) AS own ON own.account = a.number`,
      [...days.values, ...where.values, ...found.values],
    )
    return rows.map((row) => ({
      name: String(row.name),
      model: null,
      cost_micro_usd: Number(row.cost),
      sessions: 1,
    }))
  }
  const { kind, column } = costGroup(by, scope)
  const isByDay = by === 'day'
  const counted = isByDay ? { sql: "prev = ''", values: [] } : firstDay(scope)
  const [amounts, counts] = [kindWithin('outside', kind), kindWithin('reported', kind)]
  const where = and(
    dialect.isIn('kind', [amounts, counts]),
    matchSums(scope),
    daysIn(scope, isByDay),
    modelIs(model, split || by === 'model'),
  )
  const sessions = dialect.total(isByDay ? 'present' : 'sessions', `kind = ? AND ${counted.sql}`)
  const cost = dialect.total('cost_micro_usd', `kind = ?${isByDay ? " AND prev = ''" : ''}`)
  const rows = yield* queryRows(
    `SELECT ${column} AS name, ${split ? 'model' : 'NULL'} AS model, ${sessions} AS sessions, ${cost} AS cost
     FROM account_cost_sums WHERE ${where.sql} GROUP BY ${column}${split ? ', model' : ''}`,
    [counts, ...counted.values, amounts, ...where.values],
  )
  const numbers = rows.flatMap((row) => [
    ...(isByDay ? [] : [Number(row.name)]),
    ...(split ? [Number(row.model)] : []),
  ])
  const names = yield* queryNames(dialect, numbers)
  return rows.map((row) => ({
    name: isByDay ? String(row.name) : names.of(Number(row.name)),
    model: split ? names.of(Number(row.model)) : null,
    cost_micro_usd: Number(row.cost),
    sessions: Number(row.sessions),
  }))
}

/** Selects the sums of a kind, grouped by source or by project. */
export const kindWithin = (kind: 'total' | 'outside' | 'reported', group: string): string =>
  kind === 'total' ? group : group === 'total' ? kind : `${kind}_${group}`

/** Adds outside spending to cost rows. A model that was used only outside gets a row of its own. */
export function withOutside(
  rows: readonly CostRow[],
  outside: readonly OutsideRow[] | null,
): readonly CostRow[] {
  if (outside === null) return rows
  const costKey = ({ name, model }: Pick<CostRow, 'name' | 'model'>) => JSON.stringify([name, model ?? null])
  const remaining = new Map(outside.map((each) => [costKey(each), each]))
  const joined = rows.map((row): CostRow => {
    const own = remaining.get(costKey(row))
    remaining.delete(costKey(row))
    return {
      ...row,
      outside_micro_usd: own?.cost_micro_usd ?? 0,
      outside_unknown: row.sessions - (own?.sessions ?? 0),
    }
  })
  const alone = [...remaining.values()].filter(({ cost_micro_usd }) => cost_micro_usd > 0)
  return [
    ...joined,
    ...alone.map(
      ({ name, model, cost_micro_usd }): CostRow => ({
        ...NOTHING,
        name,
        model,
        source: null,
        sessions: 0,
        outside_micro_usd: cost_micro_usd,
        outside_unknown: 0,
      }),
    ),
  ]
}

const NOTHING = Object.fromEntries(SPENT.map((field, n) => [field, createZeroSpent()[n]])) as Omit<
  CostRow,
  'name' | 'model' | 'source' | 'sessions'
>
