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
  /** Usable ones that no template was given to, by the kind of their work. */
  readonly plain: (type: TaskType) => readonly SessionWork[]
}

export const nameOf = ({ source, id }: { readonly source: string | null; readonly id: string | null }) =>
  `${source}/${id}`

const nameIn = ({ source, session_id: id }: InjectionRow): string => nameOf({ source, id })

export function lookupOf({ injections, works, now, project, own }: Common): Lookup {
  const all = new Set(works.map(nameOf))
  const fitting = works.filter((work) => project === undefined || work.project === project)
  const byName = new Map(fitting.map((work) => [nameOf(work), work]))
  const given = new Set(injections.filter(({ arm }) => arm === 'with').map(nameIn))
  const rows = Map.groupBy(injections, ({ template }) => template)
  const atWork = (work: SessionWork) => isAtWork(work, now)
  const isUsable = (work: SessionWork) => work.tool_calls > 0 && work.turns > 0 && !atWork(work)
  const plain = Map.groupBy(
    fitting.filter((work) => isUsable(work) && !given.has(nameOf(work))),
    ({ tools }) => taskTypeOf(tools, own),
  )
  return {
    project,
    rowsOf: (template) => rows.get(template) ?? [],
    among: (some) => [...new Set(some.map(nameIn))].flatMap((name) => byName.get(name) ?? []),
    isThere: (row) => all.has(nameIn(row)),
    isAtWork: atWork,
    isUsable,
    plain: (type) => plain.get(type) ?? [],
  }
}
