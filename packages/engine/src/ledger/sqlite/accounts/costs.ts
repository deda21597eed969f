import type { CostGroup, CostRow } from '@panoptes/schema'
import type { CostQuery } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { daysIn, firstDay } from './cost-days.ts'
import { SPENT } from './cost-facts.ts'
import { costsOfAccounts } from './costs-of-accounts.ts'
import { costsOfSessions } from './costs-of-sessions.ts'
import { ordered } from './costs-ordered.ts'
import { ANY, nameOf } from './names.ts'
import { allOf, equals, type Scope, scopeOf, type Value, type Where } from './where.ts'

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

export function costsOf(statements: Statements, query: CostQuery): readonly CostRow[] {
  const scope = scopeOf(statements, query)
  const model = query.model === undefined ? undefined : scope.names.find(nameOf(query.model))
  if (scope.accounts !== undefined) return costsOfAccounts(statements, scope.accounts, query)
  if (query.by === 'session') return costsOfSessions(statements, scope, model, query)
  const { kind, column } = groupOf(query.by, scope)
  const split = query.splitByModel === true || query.by === 'model'
  const where = allOf(
    equals('kind', kind),
    equals('source', scope.source),
    equals('project', scope.project),
    daysIn(scope, query.by === 'day'),
    modelIs(model, split),
  )
  const counted = query.by === 'day' ? ALWAYS : firstDay(scope)
  const rows = statements
    .of(
      `SELECT ${column} AS name, ${split ? 'model' : 'NULL'} AS model, total(sessions) FILTER (WHERE ${counted.sql}) AS sessions,
         ${SPENT.map((field) => `total(${field}) AS ${field}`).join(', ')}
       FROM account_cost_sums WHERE ${where.sql} GROUP BY 1, 2`,
    )
    .all(...counted.values, ...where.values)
  const named = (name: unknown): string => (column === 'day' ? String(name) : scope.names.of(Number(name)))
  return ordered(
    rows.map((row) => ({
      ...(row as unknown as CostRow),
      name: named(row.name),
      model: query.splitByModel ? scope.names.of(Number(row.model)) : null,
    })),
    query,
  )
}

const ALWAYS: Where = { sql: '1', values: [] as readonly Value[] }

const modelIs = (model: number | undefined, split: boolean): Where => {
  if (model !== undefined) return equals('model', model)
  return split ? { sql: `model <> ${ANY}`, values: [] } : equals('model', ANY)
}
