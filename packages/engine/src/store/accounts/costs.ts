import type { CostGroup, CostRow } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import type { CostQuery } from '../accounts-port.ts'
import { costsOfAccounts } from './account-costs.ts'
import { daysIn, firstDay } from './cost-days.ts'
import { SPENT } from './cost-facts.ts'
import type { Dialect, QueryGenerator, Where } from './dialect.ts'
import { ANY } from './names.ts'
import { and, equals, matchSums, resolveScope, type Scope } from './where-clause.ts'

/** The sums that a group reads, and the column that names its rows. */
interface Group {
  readonly kind: string
  readonly column: 'day' | 'model' | 'name' | 'source' | 'project'
}

const GROUPS: Readonly<Record<Exclude<CostGroup, 'session'>, Group>> = {
  day: { kind: 'total', column: 'day' },
  model: { kind: 'total', column: 'model' },
  source: { kind: 'source', column: 'name' },
  project: { kind: 'project', column: 'name' },
  agent: { kind: 'agent', column: 'name' },
  skill: { kind: 'skill', column: 'name' },
}

interface Named {
  readonly name: string
  cost: number
  sessions: number
  readonly rows: CostRow[]
}

/** A filter's own source or project is the only row of its group, and its sum is computed like any other. */
export function costGroup(by: Exclude<CostGroup, 'session'>, scope: Scope): Group {
  if ((by === 'source' || by === 'project') && scope[by] !== ANY) return { kind: 'total', column: by }
  return GROUPS[by]
}

/**
 * A query for rows of `name`, `model`, `sessions` and amounts. Names and models are numbers, except that days
 * are named by their date.
 */
export interface CostSums {
  readonly rows: Where
  readonly isByDay: boolean
  /** This is true when each row covers one model. If not, rows carry no model. */
  readonly isByModel: boolean
}

/** Builds the sums in the SQL of one database. Grouping by session returns rows instead. */
export function* queryCosts<T>(
  dialect: Dialect,
  query: CostQuery,
  summed: (sums: CostSums) => QueryGenerator<T>,
  listed: (rows: readonly CostRow[]) => T,
): QueryGenerator<T> {
  const scope = yield* resolveScope(dialect, query, [query.model])
  const model = query.model === undefined ? undefined : scope.number(query.model)
  if (scope.accounts !== undefined) return listed(yield* costsOfAccounts(scope, scope.accounts, query))
  if (query.by === 'session') return listed(yield* dialect.sessions(scope, query, model))
  return yield* summed(buildSums(scope, query, query.by, model))
}

function buildSums(
  scope: Scope,
  { splitByModel: isByModel = false, limit }: CostQuery,
  by: Exclude<CostGroup, 'session'>,
  model: number | undefined,
): CostSums {
  const { kind, column } = costGroup(by, scope)
  const isByDay = by === 'day'
  const where = and(
    equals('kind', kind),
    matchSums(scope),
    daysIn(scope, isByDay),
    modelIs(model, isByModel || by === 'model'),
  )
  const rows = isByDay
    ? selectDaily(isByModel, newest(where, limit))
    : selectGrouped(scope.dialect, column, isByModel, where, firstDay(scope))
  return { rows, isByDay, isByModel }
}

/** Limits the query to the newest days. It starts from the end, so that older days are not read. */
const newest = (where: Where, limit: number | undefined): Where => {
  if (limit === undefined) return where
  const days = `SELECT day FROM account_cost_sums WHERE ${where.sql} AND prev = '' GROUP BY day ORDER BY day DESC LIMIT ?`
  const first = { sql: `day >= (SELECT min(day) FROM (${days}) AS newest)`, values: [...where.values, limit] }
  return and(where, first)
}

/**
 * The first row of a day holds the sum of the whole day, so that a long history of days needs no aggregation.
 */
const selectDaily = (split: boolean, { sql, values }: Where): Where => ({
  sql: `SELECT day AS name, ${split ? 'model' : 'NULL AS model'}, present AS sessions, ${SPENT.join(', ')}
    FROM account_cost_sums WHERE ${sql} AND prev = ''`,
  values,
})

const selectGrouped = (
  { total }: Dialect,
  column: string,
  split: boolean,
  where: Where,
  counted: Where,
): Where => ({
  sql: `SELECT ${column} AS name, ${split ? 'model' : 'NULL AS model'}, ${total('sessions', counted.sql)} AS sessions,
      ${SPENT.map((field) => `${total(field)} AS ${field}`).join(', ')}
    FROM account_cost_sums WHERE ${where.sql} GROUP BY ${column}${split ? ', model' : ''}`,
  values: [...counted.values, ...where.values],
})

export const modelIs = (model: number | undefined, split: boolean): Where => {
  if (model !== undefined) return equals('model', model)
  return split ? { sql: `model > ${ANY}`, values: [] } : equals('model', ANY)
}

const compareByCost = (a: CostRow, b: CostRow): number =>
  b.cost_micro_usd - a.cost_micro_usd || b.sessions - a.sessions || compareText(a.name, b.name)

/** Keeps the rows of one name together. A limit counts names, not rows. */
export function orderCostRows(rows: readonly CostRow[], { by, limit }: CostQuery): readonly CostRow[] {
  // Rows by day are already in order, which matters for a long history.
  if (by === 'day' && limit === undefined)
    return rows.toSorted(
      (a, b) =>
        compareText(a.name, b.name) || compareByCost(a, b) || compareText(a.model ?? '', b.model ?? ''),
    )
  const names = new Map<string, Named>()
  for (const row of rows) {
    const named = names.get(row.name) ?? { name: row.name, cost: 0, sessions: 0, rows: [] }
    names.set(row.name, named)
    named.cost += row.cost_micro_usd
    named.sessions = Math.max(named.sessions, row.sessions)
    named.rows.push(row)
  }
  const all = [...names.values()]
  if (by === 'day') all.sort((a, b) => compareText(a.name, b.name))
  else all.sort((a, b) => b.cost - a.cost || b.sessions - a.sessions || compareText(a.name, b.name))
  const limited = limit === undefined ? all : by === 'day' ? all.slice(-limit) : all.slice(0, limit)
  return limited.flatMap(({ rows: own }) =>
    own.toSorted((a, b) => compareByCost(a, b) || compareText(a.model ?? '', b.model ?? '')),
  )
}
