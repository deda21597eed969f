import type { ChatEpoch } from '@panoptes/engine/ledger'
import type { ContextSection, SkillShortlist, StoredChatMessage, TaskGraph } from '@panoptes/schema'
import type { SaidBefore } from '../runtimes/port.ts'
import type { BuildContext, ContextInput, SectionSource } from './port.ts'
import { loadSection } from './section.ts'

export interface ContextParts {
  readonly sources: readonly SectionSource[]
  readonly skills: (message: string, folder: string, signal: AbortSignal) => Promise<SkillShortlist>
  readonly plan: (message: string, signal: AbortSignal) => Promise<TaskGraph>
  /** A template as a section; null where none was asked for. */
  readonly template: (name: string) => Promise<ContextSection>
}

/** Everything at once; nothing of it can fail the message. */
export const contextBuilder =
  (parts: ContextParts): BuildContext =>
  async (input) => {
    const { conversation, message, folder, signal } = input
    const about = { conversation, message, folder }
    const load = (frozen: boolean) =>
      Promise.all(
        parts.sources
          .filter((source) => source.frozen === frozen)
          .map((source) => loadSection(source, about, signal)),
      )
    const known = conversation.epoch
    const [frozen, told, skills, plan, template] = await Promise.all([
      known === null ? load(true) : known.sections,
      load(false),
      parts.skills(message, folder, signal),
      parts.plan(message, signal),
      input.template === null ? null : parts.template(input.template),
    ])
    const epoch: ChatEpoch = known ?? {
      baseline: textOf(frozen),
      sections: [...frozen],
      summarised_to: null,
      summary: null,
    }
    const sections = [...frozen, ...told, ...(template ? [template] : [])]
    return {
      baseline: epoch.baseline,
      preamble: textOf([...told, ...(template ? [template] : [])]),
      history: historyOf(input, epoch),
      skills,
      plan,
      sections,
      sent: { sections, skills, plan, template: input.template, budget_tokens: input.budgetTokens },
      epoch: known === null ? epoch : null,
    }
  }

const textOf = (sections: readonly ContextSection[]): string =>
  sections.flatMap(({ text }) => (text ? [text] : [])).join('\n\n')

function historyOf(
  { conversation, sent }: ContextInput,
  { summarised_to }: ChatEpoch,
): readonly SaidBefore[] {
  const from = conversation.messages.findIndex(({ id }) => id === summarised_to) + 1
  return conversation.messages
    .slice(from)
    .filter(isSaid)
    .map(({ id, role, content, runtime }) => ({
      id,
      role,
      content,
      runtime,
      preamble: sent.get(id)?.text ?? null,
    }))
}

const isSaid = ({ content }: StoredChatMessage): boolean => content !== ''
