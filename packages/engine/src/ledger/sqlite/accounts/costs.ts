import type { CostGroup } from '@panoptes/schema'
import type { CostQuery } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { daysIn, firstDay } from './cost-days.ts'
import { SPENT } from './cost-facts.ts'
import { type CostText, costText } from './cost-rows.ts'
import { costsOfAccounts } from './costs-of-accounts.ts'
import { costsOfSessions } from './costs-of-sessions.ts'
import { ANY, nameOf } from './names.ts'
import { allOf, equals, type Scope, scopeOf, sumsIn, type Where } from './where.ts'

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

export function costsOf(statements: Statements, query: CostQuery): CostText {
  const scope = scopeOf(statements, query)
  const model = query.model === undefined ? undefined : scope.names.find(nameOf(query.model))
  if (scope.accounts !== undefined) return costText(costsOfAccounts(statements, scope.accounts, query))
  if (query.by === 'session') return costText(costsOfSessions(statements, scope, model, query))
  const { kind, column } = groupOf(query.by, scope)
  const split = query.splitByModel === true
  const where = allOf(
    equals('kind', kind),
    sumsIn(scope),
    daysIn(scope, query.by === 'day'),
    modelIs(model, split || query.by === 'model'),
  )
  const rows =
    query.by === 'day'
      ? daily(split, newest(where, query.limit))
      : grouped(column, split, where, firstDay(scope))
  const fields = [
    column === 'day' ? 'g.name' : '(SELECT n.name FROM account_names AS n WHERE n.id = g.name)',
    'g.model',
    'NULL',
    ...['sessions', ...SPENT].map((field) => (column === 'day' ? field : exactly(field))),
  ]
  const found = statements
    .of(`SELECT json_group_array(json_array(${fields.join(', ')})) AS rows FROM (${rows.sql}) AS g`)
    .get(...rows.values)
  return { rows: String(found?.rows), models: split ? modelsOf(statements) : new Map() }
}

function modelsOf(statements: Statements): ReadonlyMap<number, string> {
  const rows = statements
    .of(
      `SELECT id, name FROM account_names WHERE id IN
         (SELECT model FROM account_cost_sums WHERE kind = 'total' AND source = ${ANY} AND project = ${ANY} AND day = '')`,
    )
    .all()
  return new Map(rows.map((row) => [Number(row.id), String(row.name)]))
}

/** In the text of a number with a fraction the last digits may be lost. */
const exactly = (field: string): string => `iif(${field} < 9e15, CAST(${field} AS INTEGER), ${field})`

/** So many days only; found from the end, so that the others are not looked at. */
const newest = (where: Where, limit: number | undefined): Where => {
  if (limit === undefined) return where
  const days = `SELECT day FROM account_cost_sums WHERE ${where.sql} AND prev = '' GROUP BY day ORDER BY day DESC LIMIT ?`
  const first = { sql: `day >= (SELECT min(day) FROM (${days}))`, values: [...where.values, limit] }
  return allOf(where, first)
}

/** A day's first row has all that is of it, so that a long history of days is only read. */
const daily = (split: boolean, { sql, values }: Where): Where => ({
  sql: `SELECT day AS name, ${split ? 'model' : 'NULL AS model'}, present AS sessions, ${SPENT.join(', ')}
    FROM account_cost_sums WHERE ${sql} AND prev = ''`,
  values,
})

const grouped = (column: string, split: boolean, where: Where, counted: Where): Where => ({
  sql: `SELECT ${column} AS name, ${split ? 'model' : 'NULL AS model'}, total(sessions) FILTER (WHERE ${counted.sql}) AS sessions,
      ${SPENT.map((field) => `total(${field}) AS ${field}`).join(', ')}
    FROM account_cost_sums WHERE ${where.sql} GROUP BY ${column}${split ? ', model' : ''}`,
  values: [...counted.values, ...where.values],
})

const modelIs = (model: number | undefined, split: boolean): Where => {
  if (model !== undefined) return equals('model', model)
  return split ? { sql: `model <> ${ANY}`, values: [] } : equals('model', ANY)
}
