import type { FlaggedAgent, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type {
  AccountFilter,
  AccountPage,
  AgentAccountQuery,
  ClaimQuery,
  Rows,
  SkillUseQuery,
} from '../accounts-port.ts'
import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRow, type Where } from './dialect.ts'
import { MEASURED, successCode } from './facts.ts'
import { queryDocs, queryList, type Texts } from './lists.ts'
import { and, equals, matchRowsInSpan, resolveScope, type Scope } from './where-clause.ts'

const named = (scope: Scope, column: string, name: string | undefined): Where =>
  name === undefined ? and() : equals(column, scope.number(name))

const equalsIfSet = (column: string, value: number | undefined): Where =>
  value === undefined ? and() : equals(column, value)

export const FINISHED = equals('finished', 1)
const FLAGGED = equals('flagged', 1)

export function* agentRows(dialect: Dialect, query: AgentAccountQuery): QueryGenerator<Texts> {
  const { agent, type, model, outcome, flagged } = query
  const scope = yield* resolveScope(dialect, query, [type, model, outcome])
  const where = and(
    named(scope, 'type', type),
    named(scope, 'model', model),
    named(scope, 'outcome', outcome),
    equalsIfSet('flagged', flagged === undefined ? undefined : Number(flagged)),
    query.all ? and() : FINISHED,
  )
  return agent === undefined
    ? yield* queryList('agents', scope, query, where)
    : yield* queryAgentRows(scope, query, agent, where)
}

/**
 * Reads rows directly, because no sum covers a single agent id. Few agents share an id, except the sessions'
 * own.
 */
function* queryAgentRows(
  scope: Scope,
  page: AccountPage,
  agent: string,
  where: Where,
): QueryGenerator<Texts> {
  const rows = and(scope.dialect.isAgent(agent), matchRowsInSpan(scope), where)
  const counted = yield* queryRow(`SELECT count(*) AS n FROM account_agents WHERE ${rows.sql}`, rows.values)
  return { total: Number(counted?.n), docs: yield* queryDocs('agents', rows, page) }
}

export function* claimRows(dialect: Dialect, query: ClaimQuery): QueryGenerator<Texts> {
  const { model, tier, check, measured } = query
  const scope = yield* resolveScope(dialect, query, [model, tier, check])
  const where = and(
    named(scope, 'model', model),
    named(scope, 'tier', tier),
    named(scope, 'verdict', check),
    equalsIfSet('measured', measured === undefined ? undefined : measured ? MEASURED.done : MEASURED.open),
  )
  return yield* queryList('claims', scope, query, where)
}

export function* useRows(dialect: Dialect, query: SkillUseQuery): QueryGenerator<Texts> {
  const { skill, success } = query
  const scope = yield* resolveScope(dialect, query, [skill])
  const where = and(
    named(scope, 'skill', skill),
    equalsIfSet('success', success === undefined ? undefined : successCode(success)),
  )
  return yield* queryList('uses', scope, query, where)
}

export function* followUpRows(dialect: Dialect, query: AccountFilter & AccountPage): QueryGenerator<Texts> {
  return yield* queryList('followups', yield* resolveScope(dialect, query), query)
}

export function* flaggedRows(dialect: Dialect, query: AccountFilter & AccountPage): QueryGenerator<Texts> {
  return yield* queryList('agents', yield* resolveScope(dialect, query), query, and(FLAGGED, FINISHED))
}

/** The rows cross threads as text, because text is cheaper to transfer than objects. */
export function readRows<T>(texts: Result<Texts>, shown = (row: T): T => row): Result<Rows<T>> {
  if (!texts.ok) return texts
  const { total, docs } = texts.value
  return success({ total, rows: docs.map((doc) => shown(JSON.parse(doc))) })
}

export const toFlaggedAgent = (agent: FlaggedAgent): FlaggedAgent => ({
  source: agent.source,
  session_id: agent.session_id,
  agent_id: agent.agent_id,
  subagent_type: agent.subagent_type,
  description: agent.description,
  project: agent.project,
  outcome: agent.outcome,
  stubs: agent.stubs,
  last_at: agent.last_at,
  flags: agent.flags,
})
