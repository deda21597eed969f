import type {
  AccountFilter,
  AccountPage,
  AgentAccountQuery,
  ClaimQuery,
  SkillUseQuery,
} from '../accounts-port.ts'
import { type Asking, rowOf, type Where } from './asking.ts'
import type { Dialect } from './dialect.ts'
import { MEASURED, successOf } from './facts.ts'
import { docsOf, listOf, type Texts } from './lists.ts'
import { allOf, equals, rowsWithin, type Scope, scopeOf } from './where.ts'

const named = (scope: Scope, column: string, name: string | undefined): Where =>
  name === undefined ? allOf() : equals(column, scope.number(name))
const told = (column: string, value: number | undefined): Where =>
  value === undefined ? allOf() : equals(column, value)

export const FINISHED = equals('finished', 1)
const FLAGGED = equals('flagged', 1)

export function* agentRows(dialect: Dialect, query: AgentAccountQuery): Asking<Texts> {
  const { agent, type, model, outcome, flagged } = query
  const scope = yield* scopeOf(dialect, query, [type, model, outcome])
  const where = allOf(
    named(scope, 'type', type),
    named(scope, 'model', model),
    named(scope, 'outcome', outcome),
    told('flagged', flagged === undefined ? undefined : Number(flagged)),
    query.all ? allOf() : FINISHED,
  )
  return agent === undefined
    ? yield* listOf('agents', scope, query, where)
    : yield* oneAgent(scope, query, agent, where)
}

/** No sum knows agents by their id; there are few of one id, except of sessions' own. */
function* oneAgent(scope: Scope, page: AccountPage, agent: string, where: Where): Asking<Texts> {
  const rows = allOf(scope.dialect.isAgent(agent), rowsWithin(scope), where)
  const counted = yield* rowOf(`SELECT count(*) AS n FROM account_agents WHERE ${rows.sql}`, rows.values)
  return { total: Number(counted?.n), docs: yield* docsOf('agents', rows, page) }
}

export function* claimRows(dialect: Dialect, query: ClaimQuery): Asking<Texts> {
  const { model, tier, check, measured } = query
  const scope = yield* scopeOf(dialect, query, [model, tier, check])
  const where = allOf(
    named(scope, 'model', model),
    named(scope, 'tier', tier),
    named(scope, 'verdict', check),
    told('measured', measured === undefined ? undefined : measured ? MEASURED.done : MEASURED.open),
  )
  return yield* listOf('claims', scope, query, where)
}

export function* useRows(dialect: Dialect, query: SkillUseQuery): Asking<Texts> {
  const { skill, success } = query
  const scope = yield* scopeOf(dialect, query, [skill])
  const where = allOf(
    named(scope, 'skill', skill),
    told('success', success === undefined ? undefined : successOf(success)),
  )
  return yield* listOf('uses', scope, query, where)
}

export function* followUpRows(dialect: Dialect, query: AccountFilter & AccountPage): Asking<Texts> {
  return yield* listOf('followups', yield* scopeOf(dialect, query), query)
}

export function* flaggedRows(dialect: Dialect, query: AccountFilter & AccountPage): Asking<Texts> {
  return yield* listOf('agents', yield* scopeOf(dialect, query), query, allOf(FLAGGED, FINISHED))
}
