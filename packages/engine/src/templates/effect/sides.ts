import type { InjectionRow } from '@panoptes/engine/ledger'
import { isOf } from '../known.ts'
import type { SessionWork } from '../past.ts'
import type { Known } from '../stored.ts'
import { beganAt, type Lookup } from './lookup.ts'

/** So many sessions on each side tell something. */
export const NEEDED = 10

/** The sessions that are compared, and how many could not be. */
export interface Sides {
  readonly with: readonly SessionWork[]
  readonly without: readonly SessionWork[]
  readonly randomised: boolean
  /** For so many chance decided, where that is too few to go by. */
  readonly drawn: number
  /** Given it, and then of another kind of work than it is for; and given another template, too. */
  readonly otherKind: number
  readonly hadSeveral: number
  /** Projects that the compared ones are of. */
  readonly projects: number
  readonly atWork: number
  readonly idle: number
  /** Uses in sessions that are no longer there, or were never known. */
  readonly gone: number
  readonly isUsed: boolean
}

/**
 * Where chance decided for enough sessions, those are compared and no others. Else those that had the template are compared with those
 * that had none, of the same kind of work, the same agents and projects, since it was made.
 */
export function sidesOf(known: Known, lookup: Lookup): Sides {
  const { among, isUsable, isAtWork, isThere, project } = lookup
  const rows = lookup.rowsOf(known.template.name).filter((row) => isOf(known, row))
  const usable = (some: readonly InjectionRow[]) => among(some).filter(isUsable)
  const given = rows.filter(({ arm }) => arm === 'with')
  const drawn = rows.filter((row) => row.drawn)
  const lucky = usable(drawn.filter(({ arm }) => arm === 'with'))
  const others = usable(drawn.filter(({ arm }) => arm === 'without'))
  const randomised = lucky.length >= NEEDED && others.length >= NEEDED
  const all = usable(given)
  // What a session became is told by both sides in the same way. Where chance decided, it needs no telling.
  const had = all.filter((work) => lookup.isOfType(work, known.template.task_type))
  const sides = randomised
    ? { with: lucky, without: others, drawn: 0, otherKind: 0 }
    : {
        with: had,
        without: alike(known, lookup, had, madeAt(known, given)),
        drawn: lucky.length + others.length,
        otherKind: all.length - had.length,
      }
  const met = among(randomised ? drawn : given)
  return {
    ...sides,
    randomised,
    hadSeveral: sides.with.filter(lookup.hadSeveral).length,
    projects: new Set(sides.with.map((work) => work.project)).size,
    atWork: met.filter(isAtWork).length,
    idle: met.filter((work) => !isAtWork(work) && !isUsable(work)).length,
    gone: given.filter((row) => !isThere(row) && (project === undefined || row.project === project)).length,
    isUsed: given.length > 0 || known.template.usage_count > 0,
  }
}

/** Milliseconds. Of one that does not say it is known since it was first given. */
export const madeAt = ({ template }: Known, rows: readonly InjectionRow[]): number =>
  template.created_at > 0
    ? template.created_at * 1_000
    : rows.reduce((first, { ts }) => Math.min(first, ts), Number.POSITIVE_INFINITY)

function alike(
  { template, notes }: Known,
  { plain }: Lookup,
  had: readonly SessionWork[],
  since: number,
): readonly SessionWork[] {
  const sources = new Set(had.map(({ source }) => source))
  const projects = new Set(had.flatMap(({ project }) => project ?? []))
  const isOrigin = ({ source, id }: SessionWork) =>
    id === template.source_session_id && (notes?.source ?? source) === source
  return plain(template.task_type).filter(
    (work) =>
      sources.has(work.source) &&
      (projects.size === 0 || (work.project !== null && projects.has(work.project))) &&
      // By its end, the long ones that were under way would be among them, and the short ones not.
      (beganAt(work) ?? 0) >= since &&
      !isOrigin(work),
  )
}
