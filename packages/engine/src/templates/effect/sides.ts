import type { InjectionRow } from '@panoptes/engine/ledger'
import { isAtWork } from '../at-rest.ts'
import { isOf } from '../known.ts'
import type { SessionWork } from '../past.ts'
import type { Known } from '../stored.ts'
import { taskTypeOf } from '../task-type.ts'
import type { OwnTools } from '../tool-kinds.ts'

/** So many sessions on each side tell something. */
export const NEEDED = 10

export interface Compared {
  readonly known: Known
  readonly injections: readonly InjectionRow[]
  readonly works: readonly SessionWork[]
  readonly now: number
  readonly project?: string | undefined
  readonly own?: OwnTools | undefined
}

/** The sessions that are compared, and how many could not be. */
export interface Sides {
  readonly with: readonly SessionWork[]
  readonly without: readonly SessionWork[]
  readonly randomised: boolean
  /** For so many chance decided, where that is too few to go by. */
  readonly drawn: number
  readonly atWork: number
  readonly idle: number
  /** Sessions that had it and are no longer there, or were never known. */
  readonly gone: number
}

export const nameOf = ({ source, id }: { readonly source: string | null; readonly id: string | null }) =>
  `${source}/${id}`

/**
 * Where chance decided for enough sessions, those are compared and no others. Else those that had the template are compared with those
 * that had none, of the same kind of work, the same agents and projects, since it was made.
 */
export function sidesOf(compared: Compared): Sides {
  const { known, injections, works, now, project } = compared
  const rows = injections.filter((row) => isOf(known, row))
  const fits = (work: SessionWork) => project === undefined || work.project === project
  const usable = works.filter((work) => fits(work) && isUsable(work, now))
  const of = (some: readonly InjectionRow[]) => among(usable, some)
  const given = rows.filter(({ arm }) => arm === 'with')
  const drawn = rows.filter((row) => row.drawn)
  const [lucky, others] = [of(drawn.filter(({ arm }) => arm === 'with')), of(drawn.filter(isWithout))]
  const randomised = lucky.length >= NEEDED && others.length >= NEEDED
  const had = of(given)
  const sides = randomised
    ? { with: lucky, without: others, drawn: 0 }
    : { with: had, without: alike(compared, usable, had), drawn: lucky.length + others.length }
  const met = among(works.filter(fits), randomised ? drawn : given)
  return {
    ...sides,
    randomised,
    atWork: met.filter((work) => isAtWork(work, now)).length,
    idle: met.filter((work) => !isAtWork(work, now) && !isUsable(work, now)).length,
    gone: goneOf(given, works, project),
  }
}

const isWithout = ({ arm }: InjectionRow): boolean => arm === 'without'

const isUsable = (work: SessionWork, now: number): boolean =>
  work.tool_calls > 0 && work.turns > 0 && !isAtWork(work, now)

function among(works: readonly SessionWork[], rows: readonly InjectionRow[]): readonly SessionWork[] {
  const names = new Set(rows.map(({ source, session_id: id }) => nameOf({ source, id })))
  return works.filter((work) => names.has(nameOf(work)))
}

function goneOf(
  given: readonly InjectionRow[],
  works: readonly SessionWork[],
  project: string | undefined,
): number {
  const there = new Set(works.map(nameOf))
  return given
    .filter((row) => project === undefined || row.project === project)
    .filter(({ source, session_id: id }) => !there.has(nameOf({ source, id }))).length
}

function alike(
  { known, injections, own }: Compared,
  usable: readonly SessionWork[],
  had: readonly SessionWork[],
): readonly SessionWork[] {
  const { template, notes } = known
  const given = new Set(
    among(
      usable,
      injections.filter(({ arm }) => arm === 'with'),
    ).map(nameOf),
  )
  const sources = new Set(had.map(({ source }) => source))
  const projects = new Set(had.flatMap(({ project }) => project ?? []))
  const isOrigin = ({ source, id }: SessionWork) =>
    id === template.source_session_id && (notes?.source ?? source) === source
  return usable.filter(
    (work) =>
      !given.has(nameOf(work)) &&
      !isOrigin(work) &&
      sources.has(work.source) &&
      (projects.size === 0 || (work.project !== null && projects.has(work.project))) &&
      (work.last_at ?? 0) >= template.created_at * 1_000 &&
      taskTypeOf(work.tools, own) === template.task_type,
  )
}
