import type { FieldsOf } from '@panoptes/schema'
import type { AgentRow } from './row.ts'

type At<K extends 'skill_use' | 'claim'> = FieldsOf<K> & { readonly ts: number }

const LONGEST = 120

/**
 * The skill's scope stays open until the agent's next skill, prompt or end; only then is it known whether the
 * skill succeeded.
 */
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

/** A call that begins becomes the last one in the skill's scope, unless its end arrived before. */
export function beginInScope(row: AgentRow, call: Call): void {
  if (isInScope(row, call) && call.id && !row.book.early?.includes(call.id))
    row.book.scope = { call: call.id }
}

/**
 * The end of a call decides how the scope stands if it is the last call in it. A call without a reported
 * beginning becomes the last one now.
 */
export function endInScope(row: AgentRow, call: Call): void {
  const { scope, open, dropped } = row.book
  if (!isInScope(row, call) || !call.id) return
  const isRecorded = open.some(({ id }) => id === call.id) || dropped.includes(call.id)
  if (scope?.call === call.id || !isRecorded) row.book.scope = { call: call.id, ok: call.ok ?? null }
}

export function closeScope(row: AgentRow): void {
  const { scope } = row.book
  if (scope === undefined) return
  // A call that never ended does not count as success.
  if (row.skill !== undefined) row.skill.success = scope.ok === undefined ? false : scope.ok
  delete row.book.scope
}

export function addClaim(row: AgentRow, { value, tier, ts }: At<'claim'>): void {
  const claim = { value: (value ?? '').slice(0, LONGEST), tier: tier ?? '', ts }
  const { count, last } = row.claims ?? { count: 0, last: claim }
  row.claims = { count: count + 1, last: last.ts > ts ? last : claim }
}

/** Removes claims that are counted for another agent, which also reports the latest of them. */
export function subtractClaims(row: AgentRow, { claims }: FieldsOf<'taken_back'>): void {
  if (row.claims === undefined) return
  const count = row.claims.count - (claims ?? 0)
  if (count > 0) row.claims = { ...row.claims, count }
  else delete row.claims
}

/** Records the follow-ups of the latest marker. */
export function noteFollowUps(row: AgentRow, follow_ups: readonly string[] | null | undefined): void {
  const count = follow_ups?.length ?? 0
  if (count > 0 || row.follow_ups !== undefined) row.follow_ups = count
}

type MarkerFields = Pick<AgentRow, 'skill' | 'claims' | 'follow_ups'>

const STATES: ReadonlySet<string> = new Set(['skill_use', 'claim', 'status', 'agent_lost'])

/** Rebuilds a row that lacks a field, so that its fields are in the order of a new row with the book last. */
export function moveBookLast(row: AgentRow, event: string): AgentRow {
  if (!STATES.has(event) || Object.keys(row).at(-1) === 'book') return row
  const { book, skill, claims, follow_ups, lost_at, ...shown } = row
  return { ...shown, skill, claims, follow_ups, lost_at, book }
}

/** Merges what was reported about one agent under two names. */
export function mergeMarkers(own: AgentRow, other: AgentRow): MarkerFields {
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
