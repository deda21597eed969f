import type { FieldsOf } from '@panoptes/schema'
import type { AgentRow } from './row.ts'

type At<K extends 'skill_use' | 'claim'> = FieldsOf<K> & { readonly ts: number }

const LONGEST = 120

/** Its scope is open until the agent's next skill, prompt or end; only then it is known whether it did its work. */
export function useSkill(row: AgentRow, { skill, success, ts }: At<'skill_use'>): void {
  if (!skill || (row.skill !== undefined && row.skill.ts > ts)) return
  show(row, 'skill', { name: skill, ts, success: success === false ? false : null })
  if (success === false) delete row.book.scope
  else row.book.scope = { ok: success ?? null }
}

/** A call that ended may be the last one in the scope of a skill. */
export function callInScope(row: AgentRow, ok: boolean | null | undefined, ts: number): void {
  const { scope } = row.book
  if (scope !== undefined && row.skill !== undefined && ts >= row.skill.ts) scope.ok = ok ?? scope.ok
}

export function closeScope(row: AgentRow): void {
  const { scope } = row.book
  if (scope === undefined) return
  if (row.skill !== undefined) row.skill.success = scope.ok
  delete row.book.scope
}

export function stateClaim(row: AgentRow, { value, tier, ts }: At<'claim'>): void {
  const said = { value: (value ?? '').slice(0, LONGEST), tier: tier ?? '', ts }
  const { count, last } = row.claims ?? { count: 0, last: said }
  show(row, 'claims', { count: count + 1, last: last.ts > ts ? last : said })
}

/** What is left to do by the marker that was told last. */
export function noteFollowUps(row: AgentRow, follow_ups: readonly string[] | null | undefined): void {
  const count = follow_ups?.length ?? 0
  if (count > 0 || row.follow_ups !== undefined) show(row, 'follow_ups', count)
}

type Stated = Pick<AgentRow, 'skill' | 'claims' | 'follow_ups'>

/** Most agents have none of it. What a row keeps for itself stays last in it: replay cuts it off there. */
function show<K extends keyof Stated>(row: AgentRow, name: K, value: NonNullable<Stated[K]>): void {
  const shown: Stated & { book?: AgentRow['book'] } = row
  if (name in row) {
    shown[name] = value
    return
  }
  const { book } = row
  delete shown.book
  shown[name] = value
  shown.book = book
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
