import type { FieldsOf } from '@panoptes/schema'
import type { AgentRow } from './row.ts'

type At<K extends 'skill_use' | 'claim'> = FieldsOf<K> & { readonly ts: number }

const LONGEST = 120

/** Its scope is open until the agent's next skill, prompt or end; only then it is known whether it did its work. */
export function useSkill(row: AgentRow, { skill, success, ts }: At<'skill_use'>): void {
  if (!skill || (row.skill !== undefined && row.skill.ts > ts)) return
  row.skill = { name: skill, ts, success: success === false ? false : null }
  if (success === false) delete row.book.scope
  else row.book.scope = { call: null, ok: success ?? true }
}

interface Call {
  readonly id?: string | null | undefined
  readonly ts: number
  readonly ok?: boolean | null | undefined
}

const isInScope = ({ book, skill }: AgentRow, { ts }: Call): boolean =>
  book.scope !== undefined && skill !== undefined && ts >= skill.ts

/** A call that begins is the last in the scope of the skill, unless its end was told before. */
export function beginInScope(row: AgentRow, call: Call): void {
  if (isInScope(row, call) && call.id && !row.book.early?.includes(call.id))
    row.book.scope = { call: call.id }
}

/** A call that ends says how the scope stands if it is the last in it; one whose beginning nobody told is that now. */
export function endInScope(row: AgentRow, call: Call): void {
  const { scope, open, dropped } = row.book
  if (!isInScope(row, call) || !call.id) return
  const isKnown = open.some(({ id }) => id === call.id) || dropped.includes(call.id)
  if (scope?.call === call.id || !isKnown) row.book.scope = { call: call.id, ok: call.ok ?? null }
}

export function closeScope(row: AgentRow): void {
  const { scope } = row.book
  if (scope === undefined) return
  // A call that never ended is no success.
  if (row.skill !== undefined) row.skill.success = scope.ok === undefined ? false : scope.ok
  delete row.book.scope
}

export function stateClaim(row: AgentRow, { value, tier, ts }: At<'claim'>): void {
  const said = { value: (value ?? '').slice(0, LONGEST), tier: tier ?? '', ts }
  const { count, last } = row.claims ?? { count: 0, last: said }
  row.claims = { count: count + 1, last: last.ts > ts ? last : said }
}

/** They count elsewhere; the last of them is said there as well. */
export function unstateClaims(row: AgentRow, { claims }: FieldsOf<'taken_back'>): void {
  if (row.claims === undefined) return
  const count = row.claims.count - (claims ?? 0)
  if (count > 0) row.claims = { ...row.claims, count }
  else delete row.claims
}

/** What is left to do by the marker that was told last. */
export function noteFollowUps(row: AgentRow, follow_ups: readonly string[] | null | undefined): void {
  const count = follow_ups?.length ?? 0
  if (count > 0 || row.follow_ups !== undefined) row.follow_ups = count
}

type Stated = Pick<AgentRow, 'skill' | 'claims' | 'follow_ups'>

const STATES: ReadonlySet<string> = new Set(['skill_use', 'claim', 'status'])

/** A row that was read has no place for what it did not have: then it is made anew, in the order of a new one. */
export function withBookLast(row: AgentRow, event: string): AgentRow {
  if (!STATES.has(event) || Object.keys(row).at(-1) === 'book') return row
  const { book, skill, claims, follow_ups, ...shown } = row
  return { ...shown, skill, claims, follow_ups, book }
}

/** What was told of one agent under two names. */
export function mergeStated(own: AgentRow, other: AgentRow): Stated {
  const skill = newest(own.skill, other.skill)
  const last = newest(own.claims?.last, other.claims?.last)
  const follow_ups = own.follow_ups ?? other.follow_ups
  return {
    ...(skill === undefined ? {} : { skill }),
    ...(last === undefined
      ? {}
      : { claims: { count: (own.claims?.count ?? 0) + (other.claims?.count ?? 0), last } }),
    ...(follow_ups === undefined ? {} : { follow_ups }),
  }
}

const newest = <T extends { readonly ts: number }>(
  one: T | undefined,
  other: T | undefined,
): T | undefined => (one === undefined || (other !== undefined && other.ts > one.ts) ? other : one)
