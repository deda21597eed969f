import type { TemplateUses } from '@panoptes/engine/store'
import {
  DEFAULT_EXAMPLES,
  type ListedTemplate,
  type Result,
  type SessionRef,
  type Suggestion,
  type TemplateEffect,
  type TemplateInput,
  type TemplatePlace,
  type TemplatePreview,
  type TemplateReply,
  type TemplatesReply,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { judgeCalls, pairCalls, TURNS } from './calls.ts'
import { filterByPlace, findTemplate, loadCatalog, matchesRow, type TemplateCatalog } from './catalog.ts'
import { getCreationTime } from './effect/comparison-groups.ts'
import { computeEffects } from './effect/index.ts'
import { createUnknownMeasure, type Outcomes } from './effect/measures.ts'
import type { TemplateEntry } from './file.ts'
import { openTemplateFolder } from './folder.ts'
import { createInjector } from './injection.ts'
import { makeTemplate } from './make.ts'
import type { Past, SessionWork } from './session-history.ts'
import { sharedShelf } from './storage.ts'
import { folderShelf } from './storage-folder.ts'
import { isSuccessful, type SuggestInput, suggestFrom } from './suggest.ts'
import type { Templates } from './templates.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface TemplatesOptions extends Omit<EffectDependencies, 'now'> {
  /** The folder of our templates, unless hubs share them. */
  readonly folder: string
  /** The folder of Hermes' templates, which is read-only. */
  readonly hermesFolder: string
  readonly templateUses: TemplateUses
  /** Share of new sessions that get a template; null gives it to all. */
  readonly experiment: number | null
  /** The user's home folder, which no template may contain. */
  readonly home: string
  readonly now?: () => number
}

const DAY_MS = 86_400_000
/** How many sessions are considered for suggestions. */
const MOST_SUGGESTED_FROM = 2_000

export function openTemplates({ now = Date.now, ...options }: TemplatesOptions): Templates {
  const { templateUses, past, experiment, own, home, outcomes } = options
  const { shared } = templateUses
  const ours = shared ? sharedShelf(shared) : folderShelf(options.folder)
  const folder = openTemplateFolder({ ours, ofHermes: folderShelf(options.hermesFolder), now })
  const measuring: EffectDependencies = { past, outcomes, own, now }
  const loadAll = () => loadCatalog({ folder, templateUses })

  const list = async (type?: string): Promise<Result<TemplatesReply>> => {
    const all = await loadAll()
    if (!all.ok) return all
    const which = all.value.known.filter(({ template }) => type === undefined || template.task_type === type)
    const effects = await measureEffect(all.value, which, measuring)
    if (!effects.ok) return effects
    const templates = which.flatMap((entry, at) => {
      const effect = effects.value[at]
      return effect ? [toListedTemplate(entry, effect)] : []
    })
    return success({ templates, broken: [...all.value.broken], folder: ours.where, experiment })
  }
  const findOne = async (
    name: string,
    place?: TemplatePlace,
  ): Promise<Result<TemplateCatalog & { readonly it: TemplateEntry }>> => {
    const all = await loadAll()
    if (!all.ok) return all
    const it = findTemplate(filterByPlace(all.value.known, place), name)
    return it.ok ? success({ ...all.value, it: it.value }) : it
  }
  const describeTemplate = async (
    name: string,
    { project, place }: { readonly project?: string | undefined; readonly place?: TemplatePlace | undefined },
  ): Promise<Result<TemplateReply>> => {
    const found = await findOne(name, place)
    if (!found.ok) return found
    const { it, ...all } = found.value
    const effects = await measureEffect(all, [it], measuring, project)
    if (!effects.ok) return effects
    const [effect] = effects.value
    return effect ? success({ ...it, effect }) : failure('not_found', `Template not found: ${name}`)
  }
  const preview = async (input: TemplateInput): Promise<Result<TemplatePreview>> => {
    const { source, session_id: id, name, type, max_examples: maxExamples = DEFAULT_EXAMPLES } = input
    const opening = await past.opening({ source, id }, TURNS)
    if (!opening.ok) return opening
    const found = await folder.all()
    if (!found.ok) return found
    const taken = new Set(found.value.stored.map(({ template }) => template.name))
    return makeTemplate(opening.value, { name, type, maxExamples, own, home, now: now(), taken })
  }

  return {
    list,
    preview,
    show: (name, place) => describeTemplate(name, { place }),
    effect: async (name, project) => {
      const found = await describeTemplate(name, { project })
      return found.ok ? success(found.value.effect) : found
    },
    effects: async (project) => {
      const all = await loadAll()
      return all.ok ? measureEffect(all.value, all.value.known, measuring, project) : all
    },
    create: async (input) => {
      const made = await preview(input)
      if (!made.ok) return made
      const { template, notes } = made.value
      const file = await folder.put(template, { force: input.force ?? false })
      if (!file.ok) return file
      const noted = await templateUses.note({
        name: template.name,
        made_at: template.created_at,
        source: input.source,
        session_id: input.session_id,
        doc: JSON.stringify(notes),
      })
      return noted.ok ? success({ ...made.value, file: file.value }) : noted
    },
    remove: async (name) => {
      const found = await findOne(name)
      if (!found.ok) return found
      if (found.value.it.place === 'hermes')
        return failure(
          'invalid',
          `${name} belongs to Hermes and is read-only here. Delete it there: ${found.value.it.file}`,
        )
      return folder.remove(name)
    },
    restore: (name) => folder.restore(name),
    ...createInjector({ loadAll, folder, templateUses, past, experiment, own, now }),
    suggest: async ({ project, days, limit }) => {
      const all = await loadAll()
      if (!all.ok) return all
      const since = now() - days * DAY_MS
      const works = await past.works({ project, since, limit: MOST_SUGGESTED_FROM })
      if (!works.ok) return works
      const ended = await outcomes(works.value)
      if (!ended.ok) return ended
      const { known } = all.value
      const input = { works: works.value, known, outcomes: ended.value, own, now: now(), limit }
      return success(await suggestTemplates(input, past))
    },
    forget: folder.forget,
  }
}

function toListedTemplate(
  { template, place, file, notes }: TemplateEntry,
  effect: TemplateEffect,
): ListedTemplate {
  const { measures, caveats: _, ...summary } = effect
  const tool_errors = measures.find(({ name }) => name === 'tool_errors')
  return {
    ...template,
    examples: template.examples.length,
    place,
    file,
    notes,
    effect: { ...summary, tool_errors: tool_errors ?? createUnknownMeasure('tool_errors') },
  }
}

/**
 * This many more than requested are examined, because some turn out to have little of their own.
 */
const MORE = 20

/**
 * Suggests sessions worth a template. The index also counts sub-agents and all turns, so the
 * likeliest sessions are examined and ranked by what their template would contain.
 */
export async function suggestTemplates(input: SuggestInput, past: Past): Promise<readonly Suggestion[]> {
  const { works, limit, own } = input
  const likely = suggestFrom({ ...input, limit: limit + MORE })
  const byName = new Map(works.map((work) => [`${work.source}/${work.id}`, work]))
  const proven: SessionWork[] = []
  for (const { source, id } of likely) {
    if (proven.length === limit) break
    const work = byName.get(`${source}/${id}`)
    const real = work && (await examineSession(work, past, own))
    if (real && isSuccessful(real)) proven.push(real)
  }
  return suggestFrom({ ...input, works: proven })
}

/**
 * Returns the session with only the calls that its template would contain; undefined if none can be
 * shown.
 */
async function examineSession(
  work: SessionWork,
  past: Past,
  own: OwnTools | undefined,
): Promise<SessionWork | undefined> {
  const opening = await past.opening(work, TURNS)
  if (!opening.ok) return undefined
  const { calls } = pairCalls(opening.value.messages)
  const { failed, worked } = judgeCalls(calls, work.source, own)
  if (worked.length === 0) return undefined
  const failures = new Set(failed)
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, of]) => ({
    tool,
    calls: of.length,
    errors: of.filter((call) => failures.has(call)).length,
  }))
  return { ...work, tool_calls: calls.length, errors: failed.length, tools }
}

interface EffectDependencies {
  readonly past: Past
  readonly outcomes: (refs: readonly SessionRef[]) => Promise<Result<Outcomes>>
  readonly own: OwnTools
  readonly now: () => number
}

/** The maximum number of sessions compared, newest first. */
const MOST_COMPARED = 5_000

/** Measures the effect of each template. If none was ever used, no session is read. */
async function measureEffect(
  { injections }: Pick<TemplateCatalog, 'injections'>,
  which: readonly TemplateEntry[],
  measuring: EffectDependencies,
  project?: string,
): Promise<Result<readonly TemplateEffect[]>> {
  const compared = await loadComparedSessions(which, injections, measuring)
  if (!compared.ok) return compared
  const works = compared.value
  const outcomes = works.length === 0 ? success(new Map()) : await measuring.outcomes(works)
  if (!outcomes.ok) return outcomes
  const { now, own } = measuring
  return success(
    computeEffects({ known: which, injections, works, outcomes: outcomes.value, now: now(), own, project }),
  )
}

async function loadComparedSessions(
  which: readonly TemplateEntry[],
  injections: TemplateCatalog['injections'],
  { past }: EffectDependencies,
): Promise<Result<readonly SessionWork[]>> {
  const used = which.filter((entry) => injections.some((row) => matchesRow(entry, row)))
  if (used.length === 0) return success([])
  const since = Math.min(
    ...used.map((entry) =>
      getCreationTime(
        entry,
        injections.filter((row) => matchesRow(entry, row)),
      ),
    ),
  )
  const others = await past.works({ since, limit: MOST_COMPARED })
  if (!others.ok) return others
  const of = listSessions(injections.filter((row) => used.some((entry) => matchesRow(entry, row))))
  const theirs = of.length === 0 ? success([]) : await past.works({ of, limit: of.length })
  if (!theirs.ok) return theirs
  const all = [...theirs.value, ...others.value].map((work) => [`${work.source}/${work.id}`, work] as const)
  return success([...new Map(all).values()])
}

function listSessions(rows: TemplateCatalog['injections']): readonly SessionRef[] {
  const refs = rows.flatMap(({ source, session_id: id }) =>
    source === null || id === null ? [] : [[`${source}/${id}`, { source, id }] as const],
  )
  return [...new Map(refs).values()].slice(-MOST_COMPARED)
}
