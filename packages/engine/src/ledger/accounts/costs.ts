import type { CostGroup, CostRow } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import type { Asking, Where } from './asking.ts'
import { daysIn, firstDay } from './cost-days.ts'
import { SPENT } from './cost-facts.ts'
import { costsOfAccounts } from './costs-of-accounts.ts'
import type { Dialect } from './dialect.ts'
import { ANY } from './names.ts'
import { allOf, equals, type Scope, scopeOf, sumsIn } from './where.ts'

/** Which sums a group is of, and the column that names its rows. */
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

/** A filter's own source or project is the only row of its group, and is summed up as any other. */
function groupOf(by: Exclude<CostGroup, 'session'>, scope: Scope): Group {
  if ((by === 'source' || by === 'project') && scope[by] !== ANY) return { kind: 'total', column: by }
  return GROUPS[by]
}

/** A question for rows of `name`, `model`, `sessions` and what was spent. Names and models are numbers, but days have their names. */
export interface CostSums {
  readonly rows: Where
  readonly isByDay: boolean
  /** Whether rows are of one model each; else they have none. */
  readonly isByModel: boolean
}

/** Sums are asked for in the words of one database; what is of sessions comes as rows. */
export function* costsOf<T>(
  dialect: Dialect,
  query: CostQuery,
  summed: (sums: CostSums) => Asking<T>,
  listed: (rows: readonly CostRow[]) => T,
): Asking<T> {
  const scope = yield* scopeOf(dialect, query, [query.model])
  const model = query.model === undefined ? undefined : scope.number(query.model)
  if (scope.accounts !== undefined) return listed(yield* costsOfAccounts(scope, scope.accounts, query))
  if (query.by === 'session') return listed(yield* dialect.sessions(scope, query, model))
  return yield* summed(sumsOf(scope, query, query.by, model))
}

function sumsOf(
  scope: Scope,
  { splitByModel: isByModel = false, limit }: CostQuery,
  by: Exclude<CostGroup, 'session'>,
  model: number | undefined,
): CostSums {
  const { kind, column } = groupOf(by, scope)
  const isByDay = by === 'day'
  const where = allOf(
    equals('kind', kind),
    sumsIn(scope),
    daysIn(scope, isByDay),
    modelIs(model, isByModel || by === 'model'),
  )
  const rows = isByDay
    ? daily(isByModel, newest(where, limit))
    : grouped(scope.dialect, column, isByModel, where, firstDay(scope))
  return { rows, isByDay, isByModel }
}

/** So many days only; found from the end, so that the others are not looked at. */
const newest = (where: Where, limit: number | undefined): Where => {
  if (limit === undefined) return where
  const days = `SELECT day FROM account_cost_sums WHERE ${where.sql} AND prev = '' GROUP BY day ORDER BY day DESC LIMIT ?`
  const first = { sql: `day >= (SELECT min(day) FROM (${days}) AS newest)`, values: [...where.values, limit] }
  return allOf(where, first)
}

/** A day's first row has all that is of it, so that a long history of days is only read. */
const daily = (split: boolean, { sql, values }: Where): Where => ({
  sql: `SELECT day AS name, ${split ? 'model' : 'NULL AS model'}, present AS sessions, ${SPENT.join(', ')}
    FROM account_cost_sums WHERE ${sql} AND prev = ''`,
  values,
})

const grouped = (
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

const modelIs = (model: number | undefined, split: boolean): Where => {
  if (model !== undefined) return equals('model', model)
  return split ? { sql: `model <> ${ANY}`, values: [] } : equals('model', ANY)
}
