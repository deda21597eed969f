import type {
  AccountFilter,
  AccountPage,
  AgentAccountQuery,
  ClaimQuery,
  SkillUseQuery,
} from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { MEASURED, successOf } from './facts.ts'
import { docsOf, listOf, type Texts } from './lists.ts'
import { nameOf } from './names.ts'
import { allOf, equals, rowsWithin, type Scope, scopeOf, type Where } from './where.ts'

const named = (scope: Scope, column: string, name: string | undefined): Where =>
  name === undefined ? allOf() : equals(column, scope.names.find(nameOf(name)))
const told = (column: string, value: number | undefined): Where =>
  value === undefined ? allOf() : equals(column, value)

export const FINISHED = equals('finished', 1)
const FLAGGED = equals('flagged', 1)

export function agentRows(statements: Statements, query: AgentAccountQuery): Texts {
  const scope = scopeOf(statements, query)
  const where = allOf(
    named(scope, 'type', query.type),
    named(scope, 'model', query.model),
    named(scope, 'outcome', query.outcome),
    told('flagged', query.flagged === undefined ? undefined : Number(query.flagged)),
    query.all ? allOf() : FINISHED,
  )
  return query.agent === undefined
    ? listOf(statements, 'agents', scope, query, where)
    : oneAgent(statements, scope, query, query.agent, where)
}

/** No sum knows agents by their id; there are few of one id, except of sessions' own. */
function oneAgent(
  statements: Statements,
  scope: Scope,
  page: AccountPage,
  agent: string,
  where: Where,
): Texts {
  const id = "doc ->> '$.agent_id'"
  const isAgent = { sql: agent === 'main' ? `${id} = ?` : `${id} = ? AND ${id} <> 'main'`, values: [agent] }
  const rows = allOf(isAgent, rowsWithin(scope), where)
  const counted = statements
    .of(`SELECT count(*) AS n FROM account_agents WHERE ${rows.sql}`)
    .get(...rows.values)
  return { total: Number(counted?.n), docs: docsOf(statements, 'agents', rows, page) }
}

export function claimRows(statements: Statements, query: ClaimQuery): Texts {
  const scope = scopeOf(statements, query)
  const { measured } = query
  const where = allOf(
    named(scope, 'model', query.model),
    named(scope, 'tier', query.tier),
    named(scope, 'verdict', query.check),
    told('measured', measured === undefined ? undefined : measured ? MEASURED.done : MEASURED.open),
  )
  return listOf(statements, 'claims', scope, query, where)
}

export function useRows(statements: Statements, query: SkillUseQuery): Texts {
  const scope = scopeOf(statements, query)
  const where = allOf(
    named(scope, 'skill', query.skill),
    told('success', query.success === undefined ? undefined : successOf(query.success)),
  )
  return listOf(statements, 'uses', scope, query, where)
}

export const followUpRows = (statements: Statements, query: AccountFilter & AccountPage): Texts =>
  listOf(statements, 'followups', scopeOf(statements, query), query)

export const flaggedRows = (statements: Statements, query: AccountFilter & AccountPage): Texts =>
  listOf(statements, 'agents', scopeOf(statements, query), query, allOf(FLAGGED, FINISHED))
