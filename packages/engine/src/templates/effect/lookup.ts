import type { InjectionRow } from '@panoptes/engine/ledger'
import type { TaskType } from '@panoptes/schema'
import { isAtWork } from '../at-rest.ts'
import type { SessionWork } from '../past.ts'
import { taskTypeOf } from '../task-type.ts'
import type { OwnTools } from '../tool-kinds.ts'

/** What every template of a list is compared by. */
export interface Common {
  readonly injections: readonly InjectionRow[]
  readonly works: readonly SessionWork[]
  readonly now: number
  readonly project?: string | undefined
  readonly own?: OwnTools | undefined
}

/** The same, looked through once for all of them. */
export interface Lookup {
  readonly project: string | undefined
  /** Those that a template of this name was given to, or was held back from. */
  readonly rowsOf: (template: string) => readonly InjectionRow[]
  /** The sessions of rows, each once, as far as they are there. */
  readonly among: (rows: readonly InjectionRow[]) => readonly SessionWork[]
  readonly isThere: (row: InjectionRow) => boolean
  readonly isAtWork: (work: SessionWork) => boolean
  /** At rest, with replies and calls of tools. */
  readonly isUsable: (work: SessionWork) => boolean
  readonly isOfType: (work: SessionWork, type: TaskType) => boolean
  /** Usable ones that no template was given to, by the kind of their work. */
  readonly plain: (type: TaskType) => readonly SessionWork[]
  /** Whether it was given more than one template. */
  readonly hadSeveral: (work: SessionWork) => boolean
}

export const nameOf = ({ source, id }: { readonly source: string | null; readonly id: string | null }) =>
  `${source}/${id}`

const nameIn = ({ source, session_id: id }: InjectionRow): string => nameOf({ source, id })

export function lookupOf({ injections, works, now, project, own }: Common): Lookup {
  const all = new Set(works.map(nameOf))
  const fitting = works.filter((work) => project === undefined || work.project === project)
  const byName = new Map(fitting.map((work) => [nameOf(work), work]))
  const given = Map.groupBy(
    injections.filter(({ arm }) => arm === 'with'),
    nameIn,
  )
  const prefilled = firstPrefill(injections)
  const mayHaveHad = (work: SessionWork) =>
    given.has(nameOf(work)) || (work.source === 'hermes' && (beganAt(work) ?? 0) >= prefilled)
  const rows = Map.groupBy(injections, ({ template }) => template)
  const atWork = (work: SessionWork) => isAtWork(work, now)
  const isUsable = (work: SessionWork) => work.tool_calls > 0 && work.turns > 0 && !atWork(work)
  const plain = Map.groupBy(
    fitting.filter((work) => isUsable(work) && !mayHaveHad(work)),
    ({ tools }) => taskTypeOf(tools, own),
  )
  return {
    project,
    rowsOf: (template) => rows.get(template) ?? [],
    among: (some) => [...new Set(some.map(nameIn))].flatMap((name) => byName.get(name) ?? []),
    isThere: (row) => all.has(nameIn(row)),
    isAtWork: atWork,
    isUsable,
    isOfType: ({ tools }, type) => taskTypeOf(tools, own) === type,
    plain: (type) => plain.get(type) ?? [],
    hadSeveral: (work) => new Set(given.get(nameOf(work))?.map(templateIn)).size > 1,
  }
}

const templateIn = ({ place, made_at, template }: InjectionRow): string => `${place}/${made_at}/${template}`

export const beganAt = ({ started_at, last_at }: SessionWork): number | null => started_at ?? last_at

/** Since then every session of Hermes may have begun with the file that was made for it: nobody tells which did. */
const firstPrefill = (injections: readonly InjectionRow[]): number =>
  injections
    .filter(({ target, session_id }) => target === 'hermes-prefill' && session_id === null)
    .reduce((first, { ts }) => Math.min(first, ts), Number.POSITIVE_INFINITY)
