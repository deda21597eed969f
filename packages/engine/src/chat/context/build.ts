import type { ConversationWindow } from '@panoptes/engine/ledger'
import type { ContextSection, Result, SkillShortlist, TaskGraph } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { planOf } from '../plan/index.ts'
import { planBudget, planSection, skillsBudget, skillsSection } from './advice.ts'
import { beginEpoch, sectionTexts, untoldOf } from './epoch.ts'
import { filesSection } from './files.ts'
import type { BuildContext, Loaded, SectionSource } from './port.ts'
import { sharesOf, updateBudget } from './rooms.ts'
import { type Asked, askSection, emptySection, fitSection, within } from './section.ts'
import { TEMPLATE, templateBudget } from './template.ts'
import { withUpdate } from './update.ts'
import { chooseWindow, historyOf, isSaid, sizesOf, sum } from './window.ts'

export interface ContextParts {
  readonly sources: readonly SectionSource[]
  readonly skills: (message: string, folder: string, signal: AbortSignal) => Promise<SkillShortlist>
  readonly plan: (message: string, signal: AbortSignal) => Promise<TaskGraph>
  /** How long a plan is waited for; more than a moment only where a model refines it. */
  readonly planMs?: number | undefined
  /** What a template gives to a conversation. */
  readonly template: (name: string, conversation: string) => Promise<Result<Loaded>>
}

const SKILLS_MS = 250
const PLAN_MS = 250
const TEMPLATE_MS = 1_000

/** Everything at once; nothing of it can fail the message. */
export const contextBuilder =
  (parts: ContextParts): BuildContext =>
  async (input) => {
    const { conversation, message, folder, files, template: name, signal, budgetTokens } = input
    const shares = sharesOf(parts.sources, input)
    const { free } = shares
    const sizes = sizesOf(conversation)
    const chosen = chooseWindow(conversation, sizes, shares)
    const about = { conversation, message, folder, since: sinceOf(conversation, chosen.first) }
    const [answers, skilled, planned, given] = await Promise.all([
      Promise.all(parts.sources.map((source) => askSection(source, about, signal))),
      within(async (limit) => success(await parts.skills(message, folder, limit)), SKILLS_MS, signal),
      within(async (limit) => success(await parts.plan(message, limit)), parts.planMs ?? PLAN_MS, signal),
      name === null ? null : within(() => parts.template(name, conversation.id), TEMPLATE_MS, signal),
    ])
    const asked = parts.sources.map((source, at) => ({ source, asked: answers[at] as Asked }))
    const frozen = asked.filter(({ source }) => source.frozen)
    const known = chosen.isNew ? null : conversation.epoch
    const epoch = known ?? beginEpoch(conversation, chosen, frozen, free)
    const history = historyOf(conversation, chosen.first)
    const already = [epoch.baseline, ...history.map(({ preamble }) => preamble ?? '')].join('\n')
    const updates = frozen.map((one) =>
      fitSection(one.source, untoldOf(epoch, one.asked), { tokens: updateBudget(free), already }),
    )
    const told = [
      ...asked
        .filter(({ source }) => !source.frozen)
        .map((one) => fitSection(one.source, one.asked, { tokens: one.source.budget(free), already })),
      skillsSection(skilled, skillsBudget(free)),
      planSection(planned.loaded.ok ? planned.loaded.value : planOf(message), planned, planBudget(free)),
      ...(given === null ? [] : [fitSection(TEMPLATE, given, { tokens: templateBudget(free) })]),
      filesSection(files, shares.files),
    ]
    const skills = skilled.loaded.ok ? skilled.loaded.value : NO_SKILLS
    const plan = planned.loaded.ok ? planned.loaded.value : planOf(message)
    const sections = [
      messagesSection(conversation, sizes, chosen.first),
      ...epoch.sections.map((section) =>
        withUpdate(section, known === null ? undefined : updates.find(({ key }) => key === section.key)),
      ),
      ...told,
    ]
    return {
      baseline: epoch.baseline,
      preamble: sectionTexts([...(known === null ? [] : updates), ...told]),
      history,
      skills,
      plan,
      sections,
      sent: { sections, skills, plan, template: name, budget_tokens: budgetTokens },
      epoch: known === null ? epoch : null,
    }
  }

const NO_SKILLS: SkillShortlist = { skills: [], left_out: 0, status: 'unavailable' }

/** From when on everything is before everybody's eyes. */
function sinceOf({ messages }: ConversationWindow, first: number): number {
  const last = messages.at(-1)
  return messages[first]?.ts ?? (last === undefined ? 0 : last.ts + 1)
}

/** What was said, as it is sent: its words are in the conversation itself. */
function messagesSection(
  { messages, earlier, preambles }: ConversationWindow,
  sizes: readonly number[],
  first: number,
): ContextSection {
  const sent = messages.slice(first).filter(isSaid)
  const before = earlier + first
  const chars = sum(sent.map(({ id, content }) => content.length + (preambles.get(id)?.length ?? 0)))
  return emptySection('messages', 'Conversation', {
    status: sent.length + before === 0 ? 'absent' : 'ok',
    chars,
    tokens: sum(sizes.slice(first)),
    items: sent.length,
    left_out: before,
    ...(before > 0 && {
      note: `${before} earlier ${before === 1 ? 'message is' : 'messages are'} told by the summary alone`,
    }),
  })
}
