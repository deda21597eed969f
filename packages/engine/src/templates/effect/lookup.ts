import type { InjectionRow } from '@panoptes/engine/store'
import type { TaskType } from '@panoptes/schema'
import { isAtWork } from '../session-activity.ts'
import type { SessionWork } from '../session-history.ts'
import { detectTaskType } from '../task-type.ts'
import type { OwnTools } from '../tool-kinds.ts'

/** The data that every template of a list is compared with. */
export interface Common {
  readonly injections: readonly InjectionRow[]
  readonly works: readonly SessionWork[]
  readonly now: number
  readonly project?: string | undefined
  readonly own?: OwnTools | undefined
}

/** The same, indexed once for all of them. */
export interface Lookup {
  readonly project: string | undefined
  /** Sessions that got a template of this name or were held back from it. */
  readonly rowsFor: (template: string) => readonly InjectionRow[]
  /** The existing sessions of these rows, each once. */
  readonly sessionsFor: (rows: readonly InjectionRow[]) => readonly SessionWork[]
  readonly isThere: (row: InjectionRow) => boolean
  readonly isAtWork: (work: SessionWork) => boolean
  /** True for finished sessions with replies and tool calls. */
  readonly isUsable: (work: SessionWork) => boolean
  readonly isOfType: (work: SessionWork, type: TaskType) => boolean
  /** Usable sessions without any template, by their kind of work. */
  readonly plain: (type: TaskType) => readonly SessionWork[]
  /** True if it got more than one template. */
  readonly hadSeveral: (work: SessionWork) => boolean
}

export const sessionKey = ({ source, id }: { readonly source: string | null; readonly id: string | null }) =>
  `${source}/${id}`

const rowSessionKey = ({ source, session_id: id }: InjectionRow): string => sessionKey({ source, id })

export function createLookup({ injections, works, now, project, own }: Common): Lookup {
  const all = new Set(works.map(sessionKey))
  const fitting = works.filter((work) => project === undefined || work.project === project)
  const byName = new Map(fitting.map((work) => [sessionKey(work), work]))
  const withTemplate = Map.groupBy(
    injections.filter(({ arm }) => arm === 'with'),
    rowSessionKey,
  )
  const prefilled = findFirstPrefill(injections)
  const mayHaveTemplate = (work: SessionWork) =>
    withTemplate.has(sessionKey(work)) || (work.source === 'hermes' && (getStartTime(work) ?? 0) >= prefilled)
  const rows = Map.groupBy(injections, ({ template }) => template)
  const atWork = (work: SessionWork) => isAtWork(work, now)
  const isUsable = (work: SessionWork) => work.tool_calls > 0 && work.turns > 0 && !atWork(work)
  const plain = Map.groupBy(
    fitting.filter((work) => isUsable(work) && !mayHaveTemplate(work)),
    ({ tools }) => detectTaskType(tools, own),
  )
  return {
    project,
    rowsFor: (template) => rows.get(template) ?? [],
    sessionsFor: (some) => [...new Set(some.map(rowSessionKey))].flatMap((name) => byName.get(name) ?? []),
    isThere: (row) => all.has(rowSessionKey(row)),
    isAtWork: atWork,
    isUsable,
    isOfType: ({ tools }, type) => detectTaskType(tools, own) === type,
    plain: (type) => plain.get(type) ?? [],
    hadSeveral: (work) => new Set(withTemplate.get(sessionKey(work))?.map(rowTemplateKey)).size > 1,
  }
}

const rowTemplateKey = ({ place, made_at, template }: InjectionRow): string =>
  `${place}/${made_at}/${template}`

export const getStartTime = ({ started_at, last_at }: SessionWork): number | null => started_at ?? last_at

/**
 * From then on, any session of Hermes may have begun with its prefill file, and nothing records
 * which did.
 */
const findFirstPrefill = (injections: readonly InjectionRow[]): number =>
  injections
    .filter(({ target, session_id }) => target === 'hermes-prefill' && session_id === null)
    .reduce((first, { ts }) => Math.min(first, ts), Number.POSITIVE_INFINITY)
