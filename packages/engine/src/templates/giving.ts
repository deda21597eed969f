import { randomUUID } from 'node:crypto'
import type { Templated } from '@panoptes/engine/ledger'
import type { InjectInput, InjectReply, InjectTarget, Result, SessionRef, TaskType } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type AtStart, afterChoice, beforeChoice, projectOf } from './at-start.ts'
import { type Choice, chooseFor, leastUsed } from './choose.ts'
import type { TemplateFolder } from './folder.ts'
import { foreignTo } from './inject/foreign.ts'
import { canGive, inject, injectNothing } from './inject/index.ts'
import { type Everything, inPlace, isOf, named } from './known.ts'
import type { Past } from './past.ts'
import { promptOf } from './prompt.ts'
import type { Known } from './stored.ts'
import type { SessionStart, Templates } from './templates.ts'
import type { OwnTools } from './tool-kinds.ts'

interface Giving {
  readonly look: () => Promise<Result<Everything>>
  readonly folder: TemplateFolder
  readonly templated: Templated
  readonly past: Past
  readonly experiment: number | null
  readonly own: OwnTools
  readonly now: () => number
}

/** Who asks, and in which form. */
interface Asked {
  readonly target: InjectTarget
  readonly messages: NonNullable<InjectInput['messages']>
  readonly session: SessionRef | undefined
  readonly project: string | undefined
}

type Recorded = Extract<AtStart, { readonly does: 'give' | 'hold_back' }>

/** Recent sessions that tell the kind of work. */
const RECENT = 40

/** How templates get to those who use them, and every use into the ledger. */
export function giving(parts: Giving): Pick<Templates, 'inject' | 'atStart'> {
  const { look, folder, templated, past, experiment, own, now } = parts

  const choose = async (
    { known }: Everything,
    { prompt, project }: Pick<InjectInput, 'prompt' | 'project'>,
  ): Promise<Result<Choice>> => {
    const works = await past.works({ project, limit: RECENT })
    return works.ok ? success(chooseFor({ prompt, project, works: works.value, known, own })) : works
  }

  /** What becomes of a session that is known: it keeps what it had, and a share goes without. */
  const begin = async (
    all: Everything,
    start: SessionStart,
    about: Pick<InjectInput, 'prompt' | 'project'>,
  ): Promise<Result<AtStart>> => {
    const earlier = await templated.injections({ session: { source: start.source, id: start.session_id } })
    if (!earlier.ok) return earlier
    const before = beforeChoice(start, earlier.value, all.known)
    if (before) return success(before)
    const choice = await choose(all, about)
    return choice.ok ? success(afterChoice(start, choice.value, experiment)) : choice
  }

  const decide = async (all: Everything, input: InjectInput): Promise<Result<AtStart>> => {
    const { name, type, auto = false, messages = [], prompt = promptOf(messages), project, session } = input
    if ([name !== undefined, type !== undefined, auto].filter(Boolean).length !== 1)
      return failure(
        'invalid',
        'Say which template is meant: one by its name, a type, or what fits the work.',
      )
    if (type !== undefined) return success(byType(all.known, type))
    if (name !== undefined) {
      const found = named(inPlace(all.known, input.place), name)
      return found.ok ? success(asAsked(found.value)) : found
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
    return choice.ok ? success(withoutLots(choice.value)) : choice
  }

  /** Whether it is new: a session counts once for a template, however often it is told. */
  const record = async ({ does, known, drawn }: Recorded, asked: Asked): Promise<Result<boolean>> => {
    const { template, place } = known
    const { session, project = null, target } = asked
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
    if (session === undefined) return templated.inject({ ...row, key: randomUUID() })
    const key = `${session.source}/${session.id}`
    const first = await templated.inject({ ...row, key })
    if (!first.ok || first.value || does === 'hold_back') return first
    const earlier = await templated.injections({ session })
    if (!earlier.ok) return earlier
    if (earlier.value.some((one) => one.arm === 'with' && isOf(known, one))) return success(false)
    // Another template than it had before.
    return templated.inject({ ...row, key: `${key}/${place}/${template.created_at}/${template.name}` })
  }

  const settle = async (decided: AtStart, asked: Asked): Promise<Result<InjectReply>> => {
    const { does, reasons } = decided
    const { target, messages } = asked
    if (does === 'nothing') return success(reply(null, null, reasons, injectNothing(target, messages)))
    const { name, task_type: type } = decided.known.template
    if (does !== 'repeat') {
      const recorded = await record(decided, asked)
      if (!recorded.ok) return recorded
      const counted = recorded.value && does === 'give' && decided.known.place === 'panoptes'
      const used = counted ? await folder.used(name) : success(null)
      if (!used.ok) return used
    }
    return success(
      does === 'hold_back'
        ? reply(null, type, reasons, injectNothing(target, messages))
        : reply(name, type, reasons, inject(decided.known.template, target, messages)),
    )
  }

  return {
    inject: async (input) => {
      const foreign = foreignTo(input.for, input.messages ?? [])
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
      const project = projectOf(start.cwd)
      const decided = await begin(all.value, start, { project })
      if (!decided.ok) return decided
      const session = { source: start.source, id: start.session_id }
      return settle(decided.value, { target: 'claude-hook', messages: [], session, project })
    },
  }
}

function byType(known: readonly Known[], type: TaskType): AtStart {
  const chosen = leastUsed(known, type)
  const reasons = chosen
    ? [`It is the least used template for ${type} work.`]
    : [`There is no template for ${type} work.`]
  return withoutLots({ chosen, type, reasons })
}

function asAsked(known: Known): AtStart {
  const { template } = known
  if (!canGive(template))
    return { does: 'nothing', reasons: [`${template.name} has no example of a call that worked.`] }
  return { does: 'give', known, drawn: false, reasons: ['It was asked for by its name.'] }
}

const withoutLots = ({ chosen, reasons }: Choice): AtStart =>
  chosen ? { does: 'give', known: chosen, drawn: false, reasons } : { does: 'nothing', reasons }

const reply = (
  template: string | null,
  task_type: TaskType | null,
  reasons: readonly string[],
  output: unknown,
): InjectReply => ({ template, task_type, reasons: [...reasons], output })
