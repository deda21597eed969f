import { createHash } from 'node:crypto'
import type { ChatEpoch, ConversationWindow } from '@panoptes/engine/store'
import type { ContextSection, Result, SkillShortlist, TaskGraph } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import { success } from '@panoptes/schema/result'
import { planByRules } from '../plan/rules.ts'
import { planBudget, planSection, skillsBudget, skillsSection } from './advice.ts'
import { filesSection } from './files.ts'
import type { BuildContext, Loaded, SectionSource } from './port.ts'
import { askSection, emptySection, fitSection, type SectionResult, withTimeout } from './section.ts'
import { extractSummary, SUMMARY } from './summary/extract.ts'
import { TEMPLATE, templateBudget } from './template.ts'
import { computeShares, summaryBudget, updateBudget } from './token-budgets.ts'
import { buildHistory, type ChosenWindow, chooseWindow, hasContent, messageSizes } from './window.ts'

export interface ContextParts {
  readonly sources: readonly SectionSource[]
  readonly skills: (message: string, folder: string, signal: AbortSignal) => Promise<SkillShortlist>
  readonly plan: (message: string, signal: AbortSignal) => Promise<TaskGraph>
  /** How long to wait for a plan. It is longer than a moment only if a model refines the plan. */
  readonly planMs?: number | undefined
  /** Loads a template for a conversation. */
  readonly template: (name: string, conversation: string) => Promise<Result<Loaded>>
}

const SKILLS_MS = 250
const PLAN_MS = 250
const TEMPLATE_MS = 1_000

/** Loads all sections at once. No section can make the message fail. */
export const createContextBuilder =
  (parts: ContextParts): BuildContext =>
  async (input) => {
    const { conversation, message, folder, files, template: name, signal, budgetTokens } = input
    const shares = computeShares(parts.sources, input)
    const { free } = shares
    const sizes = messageSizes(conversation)
    const chosen = chooseWindow(conversation, sizes, shares)
    const about = { conversation, message, folder, since: windowStartTime(conversation, chosen.first) }
    const [answers, skilled, planned, templateResult] = await Promise.all([
      Promise.all(parts.sources.map((source) => askSection(source, about, signal))),
      withTimeout(async (limit) => success(await parts.skills(message, folder, limit)), SKILLS_MS, signal),
      withTimeout(
        async (limit) => success(await parts.plan(message, limit)),
        parts.planMs ?? PLAN_MS,
        signal,
      ),
      name === null ? null : withTimeout(() => parts.template(name, conversation.id), TEMPLATE_MS, signal),
    ])
    const sectionResults = parts.sources.map((source, at) => ({
      source,
      result: answers[at] as SectionResult,
    }))
    const frozen = sectionResults.filter(({ source }) => source.frozen)
    const currentEpoch = chosen.isNew ? null : conversation.epoch
    const epoch = currentEpoch ?? beginEpoch(conversation, chosen, frozen, free)
    const history = buildHistory(conversation, chosen.first)
    const already = [epoch.baseline, ...history.map(({ preamble }) => preamble ?? '')].join('\n')
    const updates = frozen.map((one) =>
      fitSection(one.source, excludeOmitted(epoch, one.result), { tokens: updateBudget(free), already }),
    )
    const preambleSections = [
      ...sectionResults
        .filter(({ source }) => !source.frozen)
        .map((one) => fitSection(one.source, one.result, { tokens: one.source.budget(free), already })),
      skillsSection(skilled, skillsBudget(free)),
      planSection(planned.loaded.ok ? planned.loaded.value : planByRules(message), planned, planBudget(free)),
      ...(templateResult === null
        ? []
        : [fitSection(TEMPLATE, templateResult, { tokens: templateBudget(free) })]),
      filesSection(files, shares.files),
    ]
    const skills = skilled.loaded.ok ? skilled.loaded.value : NO_SKILLS
    const plan = planned.loaded.ok ? planned.loaded.value : planByRules(message)
    const sections = [
      messagesSection(conversation, sizes, chosen.first),
      ...epoch.sections.map((section) =>
        withUpdate(
          section,
          currentEpoch === null ? undefined : updates.find(({ key }) => key === section.key),
        ),
      ),
      ...preambleSections,
    ]
    return {
      baseline: epoch.baseline,
      preamble: sectionTexts([...(currentEpoch === null ? [] : updates), ...preambleSections]),
      history,
      skills,
      plan,
      sections,
      sent: { sections, skills, plan, template: name, budget_tokens: budgetTokens },
      epoch: currentEpoch === null ? epoch : null,
    }
  }

const NO_SKILLS: SkillShortlist = { skills: [], left_out: 0, status: 'unavailable' }

/** The time from which all messages are sent in full. */
function windowStartTime({ messages }: ConversationWindow, first: number): number {
  const last = messages.at(-1)
  return messages[first]?.ts ?? (last === undefined ? 0 : last.ts + 1)
}

/** Reports the messages that are sent. Their text is in the conversation itself. */
function messagesSection(
  { messages, earlier, preambles }: ConversationWindow,
  sizes: readonly number[],
  first: number,
): ContextSection {
  const sent = messages.slice(first).filter(hasContent)
  const before = earlier + first
  const chars = sum(sent.map(({ id, content }) => content.length + (preambles.get(id)?.length ?? 0)))
  return emptySection('messages', 'Conversation', {
    status: sent.length + before === 0 ? 'absent' : 'ok',
    chars,
    tokens: sum(sizes.slice(first)),
    items: sent.length,
    left_out: before,
    ...(before > 0 && {
      note: `${before} earlier ${before === 1 ? 'message is' : 'messages are'} covered only by the summary`,
    }),
  })
}

/** Combines a section from the beginning of an epoch with what is new with this message. */
function withUpdate(frozen: ContextSection, update: ContextSection | undefined): ContextSection {
  if (update === undefined) return frozen
  const { elapsed_ms } = update
  if (update.status === 'unavailable')
    return frozen.text === undefined
      ? update
      : {
          ...frozen,
          elapsed_ms,
          note: joinNotes(frozen.note, `unchanged from before: ${update.note ?? 'not available now'}`),
        }
  if (update.text === undefined)
    return { ...frozen, elapsed_ms, ...(frozen.status === 'unavailable' && { status: 'absent' as const }) }
  return {
    ...frozen,
    status: 'ok',
    chars: frozen.chars + update.chars,
    tokens: frozen.tokens + update.tokens,
    items: frozen.items + update.items,
    left_out: Math.max(frozen.left_out, update.left_out),
    truncated: frozen.truncated || update.truncated,
    text: [frozen.text, update.text].filter((text) => text !== undefined).join('\n\n'),
    note: joinNotes(
      frozen.status === 'unavailable' ? undefined : frozen.note,
      `${update.items} new with this message`,
    ),
    elapsed_ms,
  }
}

const joinNotes = (first: string | undefined, second: string): string =>
  first === undefined ? second : `${first}; ${second}`

/** The maximum number of omitted items to remember, so that they do not count as new later. */
const MOST_OMITTED = 2_000

interface FrozenSection {
  readonly source: SectionSource
  readonly result: SectionResult
}

/**
 * Begins a new epoch, with a baseline that stays the same for every message. It asks no model; a
 * better summary replaces the extracted one once it exists.
 */
function beginEpoch(
  conversation: ConversationWindow,
  chosen: ChosenWindow,
  frozen: readonly FrozenSection[],
  free: number,
): ChatEpoch {
  const { summary, summarised_to, unread } = buildSummary(conversation, chosen, summaryBudget(free))
  const frozenSections = frozen.map(({ source, result }) =>
    fitSection(source, result, { tokens: source.budget(free) }),
  )
  const sections = [
    fitSection(
      SUMMARY,
      { loaded: success({ items: summary ? [summary] : [] }), elapsed_ms: 0 },
      { tokens: summaryBudget(free) },
    ),
    ...frozenSections,
  ]
  const untold = frozen
    .flatMap(({ result }, at) => findOmittedItems(result, frozenSections[at]))
    .slice(0, MOST_OMITTED)
    .map(itemHash)
  return {
    baseline: sectionTexts(sections),
    sections,
    summarised_to,
    summary,
    ...(unread > 0 && { unread }),
    ...(untold.length > 0 && { untold }),
  }
}

/** Returns the items that did not fit. An item that fit partially counts as sent. */
function findOmittedItems({ loaded }: SectionResult, section: ContextSection | undefined): readonly string[] {
  if (!loaded.ok || section === undefined) return []
  return loaded.value.items.slice(section.truncated ? 0 : section.items)
}

/**
 * Summarizes the messages that are not sent in full: the existing summary, plus an extract of the
 * rest.
 */
function buildSummary(
  { messages, epoch, skipped, preceding }: ConversationWindow,
  { first, next }: ChosenWindow,
  tokens: number,
): Pick<ChatEpoch, 'summary' | 'summarised_to'> & { readonly unread: number } {
  if (next !== null) return { summary: next.summary, summarised_to: next.to, unread: 0 }
  const { summary = null, unread = 0, next: ready } = epoch ?? {}
  const from = ready === undefined ? -1 : messages.findIndex(({ id }) => id === ready.to)
  const unsummarized = messages.slice(from + 1, first).filter(hasContent)
  return {
    summary: extractSummary(ready?.summary ?? summary, unsummarized, tokens),
    summarised_to: messages[first - 1]?.id ?? preceding,
    unread: from >= 0 ? 0 : skipped + (ready === undefined ? unread : 0),
  }
}

/** Removes the items that did not fit when the epoch began, so that they do not appear as new. */
function excludeOmitted({ untold = [] }: ChatEpoch, result: SectionResult): SectionResult {
  if (!result.loaded.ok || untold.length === 0) return result
  const names = new Set(untold)
  const { items, leftOut = 0, ...more } = result.loaded.value
  const fresh = items.filter((item) => !names.has(itemHash(item)))
  return {
    ...result,
    loaded: success({ ...more, items: fresh, leftOut: leftOut + items.length - fresh.length }),
  }
}

const sectionTexts = (sections: readonly ContextSection[]): string =>
  sections.flatMap(({ text }) => (text ? [text] : [])).join('\n\n')

const itemHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)
