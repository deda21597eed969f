import type { InjectionRow } from '@panoptes/engine/ledger'
import { isOf } from '../known.ts'
import type { SessionWork } from '../past.ts'
import type { Known } from '../stored.ts'
import type { Lookup } from './lookup.ts'

/** So many sessions on each side tell something. */
export const NEEDED = 10

/** The sessions that are compared, and how many could not be. */
export interface Sides {
  readonly with: readonly SessionWork[]
  readonly without: readonly SessionWork[]
  readonly randomised: boolean
  /** For so many chance decided, where that is too few to go by. */
  readonly drawn: number
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
  const had = usable(given)
  const sides = randomised
    ? { with: lucky, without: others, drawn: 0 }
    : { with: had, without: alike(known, lookup, had), drawn: lucky.length + others.length }
  const met = among(randomised ? drawn : given)
  return {
    ...sides,
    randomised,
    atWork: met.filter(isAtWork).length,
    idle: met.filter((work) => !isAtWork(work) && !isUsable(work)).length,
    gone: given.filter((row) => !isThere(row) && (project === undefined || row.project === project)).length,
    isUsed: given.length > 0 || known.template.usage_count > 0,
  }
}

function alike(
  { template, notes }: Known,
  { plain }: Lookup,
  had: readonly SessionWork[],
): readonly SessionWork[] {
  const sources = new Set(had.map(({ source }) => source))
  const projects = new Set(had.flatMap(({ project }) => project ?? []))
  const isOrigin = ({ source, id }: SessionWork) =>
    id === template.source_session_id && (notes?.source ?? source) === source
  return plain(template.task_type).filter(
    (work) =>
      sources.has(work.source) &&
      (projects.size === 0 || (work.project !== null && projects.has(work.project))) &&
      (work.last_at ?? 0) >= template.created_at * 1_000 &&
      !isOrigin(work),
  )
}
