import type { InjectionRow } from '@panoptes/engine/store'
import { matchesRow } from '../catalog.ts'
import type { TemplateEntry } from '../file.ts'
import type { SessionWork } from '../session-history.ts'
import { getStartTime, type Lookup } from './lookup.ts'

/** The minimum number of sessions on each side. */
export const NEEDED = 10

/** The compared sessions, and how many could not be compared. */
export interface Sides {
  readonly with: readonly SessionWork[]
  readonly without: readonly SessionWork[]
  readonly randomised: boolean
  /** The number of randomly assigned sessions, if it is too small to use. */
  readonly drawn: number
  /** Sessions that got it but did another kind of work, and those that got another template too. */
  readonly otherKind: number
  readonly hadSeveral: number
  /** Number of projects among the compared sessions. */
  readonly projects: number
  readonly atWork: number
  readonly idle: number
  /** Uses in sessions that no longer exist or were never known. */
  readonly gone: number
  readonly isUsed: boolean
}

/**
 * If enough sessions were assigned at random, only those are compared. Otherwise sessions with the
 * template are compared with sessions without any, of the same kind of work, agents and projects,
 * since the template was made.
 */
export function buildSides(entry: TemplateEntry, lookup: Lookup): Sides {
  const { sessionsFor, isUsable, isAtWork, isThere, project } = lookup
  const rows = lookup.rowsFor(entry.template.name).filter((row) => matchesRow(entry, row))
  const findUsable = (some: readonly InjectionRow[]) => sessionsFor(some).filter(isUsable)
  const injected = rows.filter(({ arm }) => arm === 'with')
  const drawn = rows.filter((row) => row.drawn)
  const lucky = findUsable(drawn.filter(({ arm }) => arm === 'with'))
  const others = findUsable(drawn.filter(({ arm }) => arm === 'without'))
  const randomised = lucky.length >= NEEDED && others.length >= NEEDED
  const all = findUsable(injected)
  // Both sides are classified by the work they did. Random assignment needs no classification.
  const had = all.filter((work) => lookup.isOfType(work, entry.template.task_type))
  const sides = randomised
    ? { with: lucky, without: others, drawn: 0, otherKind: 0 }
    : {
        with: had,
        without: findComparable(entry, lookup, had, getCreationTime(entry, injected)),
        drawn: lucky.length + others.length,
        otherKind: all.length - had.length,
      }
  const observed = sessionsFor(randomised ? drawn : injected)
  return {
    ...sides,
    randomised,
    hadSeveral: sides.with.filter(lookup.hadSeveral).length,
    projects: new Set(sides.with.map((work) => work.project)).size,
    atWork: observed.filter(isAtWork).length,
    idle: observed.filter((work) => !isAtWork(work) && !isUsable(work)).length,
    gone: injected.filter((row) => !isThere(row) && (project === undefined || row.project === project))
      .length,
    isUsed: injected.length > 0 || entry.template.usage_count > 0,
  }
}

/** Milliseconds. If the creation time is unknown, the first use stands for it. */
export const getCreationTime = ({ template }: TemplateEntry, rows: readonly InjectionRow[]): number =>
  template.created_at > 0
    ? template.created_at * 1_000
    : rows.reduce((first, { ts }) => Math.min(first, ts), Number.POSITIVE_INFINITY)

function findComparable(
  { template, notes }: TemplateEntry,
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
      // Filtering by the end would include long sessions that were already running, but not short
      // ones.
      (getStartTime(work) ?? 0) >= since &&
      !isOrigin(work),
  )
}
