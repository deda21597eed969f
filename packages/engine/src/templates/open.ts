import type { Templated } from '@panoptes/engine/ledger'
import type {
  ListedTemplate,
  Result,
  TemplateEffect,
  TemplateInput,
  TemplatePlace,
  TemplatePreview,
  TemplateReply,
  TemplatesReply,
} from '@panoptes/schema'
import { DEFAULT_EXAMPLES } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { TURNS } from './calls.ts'
import { unknown } from './effect/measures.ts'
import { openTemplateFolder } from './folder.ts'
import { giving } from './giving.ts'
import { type Everything, everything, inPlace, named } from './known.ts'
import { makeTemplate } from './make.ts'
import { type Measuring, measured } from './measured.ts'
import { folderShelf } from './shelf-folder.ts'
import { sharedShelf } from './shelf-shared.ts'
import type { Known } from './stored.ts'
import { suggested } from './suggested.ts'
import type { Templates } from './templates.ts'

export interface TemplatesOptions extends Omit<Measuring, 'now'> {
  /** Where ours are, unless hubs share them. */
  readonly folder: string
  /** Where those of Hermes are, which are only read. */
  readonly hermesFolder: string
  readonly templated: Templated
  /** The part of new sessions that gets one; null gives it to all. */
  readonly experiment: number | null
  /** The person's own folder, which no template names. */
  readonly home: string
  readonly now?: () => number
}

const DAY_MS = 86_400_000
/** Sessions that are looked at for one worth a template. */
const MOST_SUGGESTED_FROM = 2_000

export function openTemplates({ now = Date.now, ...options }: TemplatesOptions): Templates {
  const { templated, past, experiment, own, home, outcomes } = options
  const { shared } = templated
  const ours = shared ? sharedShelf(shared) : folderShelf(options.folder)
  const folder = openTemplateFolder({ ours, ofHermes: folderShelf(options.hermesFolder), now })
  const measuring: Measuring = { past, outcomes, own, now }
  const look = () => everything({ folder, templated })

  const list = async (type?: string): Promise<Result<TemplatesReply>> => {
    const all = await look()
    if (!all.ok) return all
    const which = all.value.known.filter(({ template }) => type === undefined || template.task_type === type)
    const effects = await measured(all.value, which, measuring)
    if (!effects.ok) return effects
    const templates = which.flatMap((known, at) => {
      const effect = effects.value[at]
      return effect ? [listed(known, effect)] : []
    })
    return success({ templates, broken: [...all.value.broken], folder: ours.where, experiment })
  }
  const one = async (
    name: string,
    place?: TemplatePlace,
  ): Promise<Result<Everything & { readonly it: Known }>> => {
    const all = await look()
    if (!all.ok) return all
    const it = named(inPlace(all.value.known, place), name)
    return it.ok ? success({ ...all.value, it: it.value }) : it
  }
  const whole = async (
    name: string,
    { project, place }: { readonly project?: string | undefined; readonly place?: TemplatePlace | undefined },
  ): Promise<Result<TemplateReply>> => {
    const found = await one(name, place)
    if (!found.ok) return found
    const { it, ...all } = found.value
    const effects = await measured(all, [it], measuring, project)
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
    show: (name, place) => whole(name, { place }),
    effect: async (name, project) => {
      const found = await whole(name, { project })
      return found.ok ? success(found.value.effect) : found
    },
    effects: async (project) => {
      const all = await look()
      return all.ok ? measured(all.value, all.value.known, measuring, project) : all
    },
    create: async (input) => {
      const made = await preview(input)
      if (!made.ok) return made
      const { template, notes } = made.value
      const file = await folder.put(template, { force: input.force ?? false })
      if (!file.ok) return file
      const noted = await templated.note({
        name: template.name,
        made_at: template.created_at,
        source: input.source,
        session_id: input.session_id,
        doc: JSON.stringify(notes),
      })
      return noted.ok ? success({ ...made.value, file: file.value }) : noted
    },
    remove: async (name) => {
      const found = await one(name)
      if (!found.ok) return found
      if (found.value.it.place === 'hermes')
        return failure(
          'invalid',
          `${name} is a file of Hermes, which is only read here. Delete it there: ${found.value.it.file}`,
        )
      return folder.remove(name)
    },
    restore: (name) => folder.restore(name),
    ...giving({ look, folder, templated, past, experiment, own, now }),
    suggest: async ({ project, days, limit }) => {
      const all = await look()
      if (!all.ok) return all
      const since = now() - days * DAY_MS
      const works = await past.works({ project, since, limit: MOST_SUGGESTED_FROM })
      if (!works.ok) return works
      const ended = await outcomes(works.value)
      if (!ended.ok) return ended
      const { known } = all.value
      const input = { works: works.value, known, outcomes: ended.value, own, now: now(), limit }
      return success(await suggested(input, past))
    },
    forget: folder.forget,
  }
}

function listed({ template, place, file, notes }: Known, effect: TemplateEffect): ListedTemplate {
  const { measures, caveats: _, ...told } = effect
  const tool_errors = measures.find(({ name }) => name === 'tool_errors')
  return {
    ...template,
    examples: template.examples.length,
    place,
    file,
    notes,
    effect: { ...told, tool_errors: tool_errors ?? unknown('tool_errors') },
  }
}
