import { createHash, randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { InjectionRow, TemplateUses } from '@panoptes/engine/store'
import type { InjectInput, InjectReply, InjectTarget, Result, SessionRef, TaskType } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { filterByPlace, findTemplate, matchesRow, type TemplateCatalog } from './catalog.ts'
import { type Choice, chooseFor, leastUsed } from './choose.ts'
import type { TemplateEntry } from './file.ts'
import type { TemplateFolder } from './folder.ts'
import { findIncompatible } from './inject/incompatible-messages.ts'
import { hasUsableExamples, inject, injectNothing } from './inject/index.ts'
import type { Past } from './session-history.ts'
import type { SessionStart, Templates } from './templates.ts'
import type { OwnTools } from './tool-kinds.ts'

interface InjectionDependencies {
  readonly loadAll: () => Promise<Result<TemplateCatalog>>
  readonly folder: TemplateFolder
  readonly templateUses: TemplateUses
  readonly past: Past
  readonly experiment: number | null
  readonly own: OwnTools
  readonly now: () => number
}

/** The caller of a request, and the form it requests. */
interface InjectRequest {
  readonly target: InjectTarget
  readonly messages: NonNullable<InjectInput['messages']>
  readonly session: SessionRef | undefined
  readonly project: string | undefined
}

type CountedDecision = Extract<StartDecision, { readonly does: 'give' | 'hold_back' }>

/** How many recent sessions suggest the kind of work. */
const RECENT = 40

/**
 * The decision for a starting session. `give` and `hold_back` are recorded as `with` and `without`;
 * `repeat` gives the session what it had and is not counted.
 */
type StartDecision =
  | { readonly does: 'nothing'; readonly reasons: readonly string[] }
  | { readonly does: 'repeat'; readonly known: TemplateEntry; readonly reasons: readonly string[] }
  | {
      readonly does: 'give' | 'hold_back'
      readonly known: TemplateEntry
      /** Whether it was decided at random. */
      readonly drawn: boolean
      readonly reasons: readonly string[]
    }

const NEW: ReadonlySet<string> = new Set(['startup', 'clear', 'fork'])

/** Gives templates to sessions and records every use in the event store. */
export function createInjector(parts: InjectionDependencies): Pick<Templates, 'inject' | 'atStart'> {
  const { loadAll: look, folder, templateUses, past, experiment, own, now } = parts

  const choose = async (
    { known }: TemplateCatalog,
    { prompt, project }: Pick<InjectInput, 'prompt' | 'project'>,
  ): Promise<Result<Choice>> => {
    const works = await past.works({ project, limit: RECENT })
    return works.ok ? success(chooseFor({ prompt, project, works: works.value, known, own })) : works
  }

  /** Decides for a known session: it keeps what it had, and a share gets none. */
  const begin = async (
    all: TemplateCatalog,
    start: SessionStart,
    about: Pick<InjectInput, 'prompt' | 'project'>,
  ): Promise<Result<StartDecision>> => {
    const earlier = await templateUses.injections({ session: { source: start.source, id: start.session_id } })
    if (!earlier.ok) return earlier
    const before = beforeChoice(start, earlier.value, all.known)
    if (before) return success(before)
    const choice = await choose(all, about)
    return choice.ok ? success(afterChoice(start, choice.value, experiment)) : choice
  }

  const decide = async (all: TemplateCatalog, input: InjectInput): Promise<Result<StartDecision>> => {
    const {
      name,
      type,
      auto = false,
      messages = [],
      prompt = extractPrompt(messages),
      project,
      session,
    } = input
    if ([name !== undefined, type !== undefined, auto].filter(Boolean).length !== 1)
      return failure('invalid', 'Choose a template by name, by type, or by the work.')
    if (type !== undefined) return success(decideByType(all.known, type))
    if (name !== undefined) {
      const found = findTemplate(filterByPlace(all.known, input.place), name)
      return found.ok ? success(decideByName(found.value)) : found
    }
    if (session) {
      const start = {
        source: session.source,
        session_id: session.id,
        began: input.began ?? 'startup',
        cwd: null,
      }
      return begin(all, start, { prompt, project })
    }
    const choice = await choose(all, { prompt, project })
    return choice.ok ? success(toDecision(choice.value)) : choice
  }

  /**
   * Returns whether the use is new: a session counts once per template, however often it is given.
   */
  const record = async (
    { does, known: entries, drawn }: CountedDecision,
    request: InjectRequest,
  ): Promise<Result<boolean>> => {
    const { template, place } = entries
    const { session, project = null, target } = request
    const row = {
      ts: now(),
      template: template.name,
      place,
      made_at: template.created_at,
      task_type: template.task_type,
      target,
      arm: does === 'give' ? ('with' as const) : ('without' as const),
      drawn,
      source: session?.source ?? null,
      session_id: session?.id ?? null,
      project,
    }
    if (session === undefined) return templateUses.inject({ ...row, key: randomUUID() })
    const key = `${session.source}/${session.id}`
    const first = await templateUses.inject({ ...row, key })
    if (!first.ok || first.value || does === 'hold_back') return first
    const earlier = await templateUses.injections({ session })
    if (!earlier.ok) return earlier
    if (earlier.value.some((one) => one.arm === 'with' && matchesRow(entries, one))) return success(false)
    // The session got a different template than before.
    return templateUses.inject({ ...row, key: `${key}/${place}/${template.created_at}/${template.name}` })
  }

  const settle = async (decided: StartDecision, request: InjectRequest): Promise<Result<InjectReply>> => {
    const { does, reasons } = decided
    const { target, messages } = request
    if (does === 'nothing') return success(createReply(null, null, reasons, injectNothing(target, messages)))
    const { name, task_type: type } = decided.known.template
    if (does !== 'repeat') {
      const recorded = await record(decided, request)
      if (!recorded.ok) return recorded
      const counted = recorded.value && does === 'give' && decided.known.place === 'panoptes'
      const used = counted ? await folder.countUse(name) : success(null)
      if (!used.ok) return used
    }
    return success(
      does === 'hold_back'
        ? createReply(null, type, reasons, injectNothing(target, messages))
        : createReply(name, type, reasons, inject(decided.known.template, target, messages)),
    )
  }

  return {
    inject: async (input) => {
      const foreign = findIncompatible(input.for, input.messages ?? [])
      if (foreign !== undefined) return failure('invalid', foreign)
      const all = await look()
      if (!all.ok) return all
      const decided = await decide(all.value, input)
      if (!decided.ok) return decided
      const { for: target, messages = [], session, project } = input
      return settle(decided.value, { target, messages, session, project })
    },
    atStart: async (start) => {
      const all = await look()
      if (!all.ok) return all
      const project = projectName(start.cwd)
      const decided = await begin(all.value, start, { project })
      if (!decided.ok) return decided
      const session = { source: start.source, id: start.session_id }
      return settle(decided.value, { target: 'claude-hook', messages: [], session, project })
    },
  }
}

function decideByType(entry: readonly TemplateEntry[], type: TaskType): StartDecision {
  const chosen = leastUsed(entry, type)
  const reasons = chosen
    ? [`It is the least used template for ${type} work.`]
    : [`There is no template for ${type} work.`]
  return toDecision({ chosen, type, reasons })
}

function decideByName(known: TemplateEntry): StartDecision {
  const { template } = known
  if (!hasUsableExamples(template))
    return { does: 'nothing', reasons: [`${template.name} has no successful tool call as an example.`] }
  return { does: 'give', known, drawn: false, reasons: ['It was chosen by name.'] }
}

const toDecision = ({ chosen, reasons }: Choice): StartDecision =>
  chosen ? { does: 'give', known: chosen, drawn: false, reasons } : { does: 'nothing', reasons }

const createReply = (
  template: string | null,
  task_type: TaskType | null,
  reasons: readonly string[],
  output: unknown,
): InjectReply => ({ template, task_type, reasons: [...reasons], output })

type ProviderMessage = Readonly<Record<string, unknown>>

/** Returns the text of the user's first message in any provider's format. */
function extractPrompt(messages: readonly ProviderMessage[]): string | undefined {
  const first = messages.find(({ role }) => role === 'user')
  if (first === undefined) return undefined
  const { content } = first
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block: unknown) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
      ? [block.text]
      : [],
  )
  return texts.length > 0 ? texts.join('\n') : undefined
}

/** Returns the decision that needs no choice of a template; undefined if the choice decides. */
export function beforeChoice(
  { began }: SessionStart,
  earlier: readonly InjectionRow[],
  entries: readonly TemplateEntry[],
): StartDecision | undefined {
  if (began !== 'compact' && !NEW.has(began)) return declineInjection('A resumed session keeps its template.')
  const [had] = earlier
  if (had === undefined) {
    return began === 'compact'
      ? declineInjection('The session had no template before it was compacted.')
      : undefined
  }
  if (had.arm === 'without')
    return declineInjection('This session is in the control group without a template.')
  const same = entries.find(
    ({ template, place }) =>
      template.name === had.template && place === had.place && template.created_at === had.made_at,
  )
  return same
    ? { does: 'repeat', known: same, reasons: [`The session had ${had.template} before.`] }
    : declineInjection('The template of the session no longer exists.')
}

/** The decision after the choice, when a share of sessions gets none. */
export function afterChoice(
  { source, session_id }: SessionStart,
  { chosen, reasons }: Choice,
  experiment: number | null,
): StartDecision {
  if (chosen === undefined) return { does: 'nothing', reasons }
  if (experiment === null || experiment >= 1) return { does: 'give', known: chosen, drawn: false, reasons }
  const gets = isDrawn(experiment, { source, id: session_id })
  return gets
    ? {
        does: 'give',
        known: chosen,
        drawn: true,
        reasons: [...reasons, 'This session was randomly chosen to get it.'],
      }
    : {
        does: 'hold_back',
        known: chosen,
        drawn: true,
        reasons: [...reasons, 'This session is in the control group without it.'],
      }
}

/** Returns the project of a folder, as past sessions name it. */
export const projectName = (cwd: string | null): string | undefined =>
  cwd === null || cwd === '' ? undefined : basename(cwd) || cwd

const declineInjection = (reason: string): StartDecision => ({ does: 'nothing', reasons: [reason] })

const BYTES = 6

/**
 * Decides at random whether a session gets the template, for a share of all. The same session
 * always gets the same result.
 */
export function isDrawn(share: number, { source, id }: SessionRef): boolean {
  const hash = createHash('sha256').update(`panoptes templates\0${source}\0${id}`).digest()
  return hash.readUIntBE(0, BYTES) / 2 ** (8 * BYTES) < share
}
