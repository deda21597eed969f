import { createHash } from 'node:crypto'
import type { ChatEpoch, ConversationWindow } from '@panoptes/engine/ledger'
import type { ContextSection } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { SectionSource } from './port.ts'
import { summaryBudget } from './rooms.ts'
import { type Asked, fitSection } from './section.ts'
import { extracted, SUMMARY } from './summary/extract.ts'
import { type Chosen, isSaid } from './window.ts'

/** Names of things that had no room, so that they are not taken for new later on. */
const MOST_UNTOLD = 2_000

interface Frozen {
  readonly source: SectionSource
  readonly asked: Asked
}

/** What is told first from now on, the same each time. No model is asked: a better summary comes when there is one. */
export function beginEpoch(
  conversation: ConversationWindow,
  chosen: Chosen,
  frozen: readonly Frozen[],
  free: number,
): ChatEpoch {
  const { summary, summarised_to, unread } = summaryFor(conversation, chosen, summaryBudget(free))
  const told = frozen.map(({ source, asked }) => fitSection(source, asked, { tokens: source.budget(free) }))
  const sections = [
    fitSection(
      SUMMARY,
      { loaded: success({ items: summary ? [summary] : [] }), elapsed_ms: 0 },
      { tokens: summaryBudget(free) },
    ),
    ...told,
  ]
  const untold = frozen
    .flatMap(({ asked }, at) => withoutRoom(asked, told[at]))
    .slice(0, MOST_UNTOLD)
    .map(nameOf)
  return {
    baseline: sectionTexts(sections),
    sections,
    summarised_to,
    summary,
    ...(unread > 0 && { unread }),
    ...(untold.length > 0 && { untold }),
  }
}

/** The first have room; one that had room for a part of it alone is not told again. */
function withoutRoom({ loaded }: Asked, section: ContextSection | undefined): readonly string[] {
  if (!loaded.ok || section === undefined) return []
  return loaded.value.items.slice(section.truncated ? 0 : section.items)
}

/** Of all that is not sent as it is: what is known of it already, and the rest by extraction. */
function summaryFor(
  { messages, epoch, skipped, preceding }: ConversationWindow,
  { first, next }: Chosen,
  tokens: number,
): Pick<ChatEpoch, 'summary' | 'summarised_to'> & { readonly unread: number } {
  if (next !== null) return { summary: next.summary, summarised_to: next.to, unread: 0 }
  const { summary = null, unread = 0, next: ready } = epoch ?? {}
  const from = ready === undefined ? -1 : messages.findIndex(({ id }) => id === ready.to)
  const said = messages.slice(from + 1, first).filter(isSaid)
  return {
    summary: extracted(ready?.summary ?? summary, said, tokens),
    summarised_to: messages[first - 1]?.id ?? preceding,
    unread: from >= 0 ? 0 : skipped + (ready === undefined ? unread : 0),
  }
}

/** Without what had no room when the epoch began. */
export function untoldOf({ untold = [] }: ChatEpoch, asked: Asked): Asked {
  if (!asked.loaded.ok || untold.length === 0) return asked
  const names = new Set(untold)
  const { items, leftOut = 0, ...more } = asked.loaded.value
  const fresh = items.filter((item) => !names.has(nameOf(item)))
  return {
    ...asked,
    loaded: success({ ...more, items: fresh, leftOut: leftOut + items.length - fresh.length }),
  }
}

export const sectionTexts = (sections: readonly ContextSection[]): string =>
  sections.flatMap(({ text }) => (text ? [text] : [])).join('\n\n')

const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)
