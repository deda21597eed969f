import type { Conversations, ConversationWindow } from '@panoptes/engine/ledger'
import type { AskModel } from '../given.ts'
import { summaryBudget } from '../rooms.ts'
import { tokensOf } from '../tokens.ts'
import { firstKept, sizesOf, sum, windowChars } from '../window.ts'
import { askedSummary } from './ask.ts'
import { extracted } from './extract.ts'

export interface SummaryKeeper {
  /** After a run: nobody waits for it. */
  readonly after: (conversation: string) => void
  /** When nothing is left to do. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface SummaryOptions {
  readonly conversations: Conversations
  /** Null where no model is configured: the summary is extracted then. */
  readonly ask: AskModel | null
  readonly budgetTokens: number
}

/** Characters that are summed up at once. */
const PORTION = 48_000
/** Calls of a model for one summary; what is left then is extracted. */
const MOST_CALLS = 8

/** Sums up what will soon have no room, one conversation after the other. */
export function summaryKeeper({ conversations, ask, budgetTokens }: SummaryOptions): SummaryKeeper {
  const closed = new AbortController()
  const waiting = new Set<string>()
  let working: Promise<void> | null = null
  const tokens = summaryBudget(budgetTokens)
  const sumUp = async (id: string, { after, to, before }: Wanted): Promise<void> => {
    let summary = before
    let last = after
    for (let calls = 0; last !== to && !closed.signal.aborted; calls += 1) {
      const said = await conversations.said(id, { after: last, to, chars: PORTION })
      if (!said.ok) return
      const end = said.value.at(-1)
      if (end === undefined) return
      const asked =
        ask === null || calls >= MOST_CALLS
          ? null
          : await askedSummary(ask, summary, said.value, { tokens, signal: closed.signal })
      summary = asked ?? extracted(summary, said.value, tokens)
      last = end.id
    }
    if (!closed.signal.aborted) await conversations.setNextSummary(id, { summary: summary ?? '', to })
  }
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      waiting.delete(id)
      if (closed.signal.aborted) return
      const kept = await conversations.window(id, { chars: windowChars(budgetTokens) })
      const wanted = kept.ok && kept.value !== null ? wantedOf(kept.value, budgetTokens) : null
      if (wanted !== null) await sumUp(id, wanted)
    }
  }
  const start = () => {
    working ??= work().finally(() => {
      working = null
      if (waiting.size > 0 && !closed.signal.aborted) start()
    })
  }
  return {
    after: (id) => {
      if (closed.signal.aborted) return
      waiting.add(id)
      start()
    },
    idle: async () => {
      while (working !== null) await working
    },
    close: async () => {
      closed.abort()
      await working
    },
  }
}

interface Wanted {
  /** What is known, and of all messages up to which. */
  readonly before: string | null
  readonly after: string | null
  readonly to: string
}

/** Of a budget, what is left for messages beside what goes with each. */
const FOR_MESSAGES = 0.7
/** A summary is made when so much of that is taken, and again when so much more was said. */
const TAKEN = 0.5
const MORE = 0.1

/** What is to be summed up now; null while there is room, or where it is done already. */
function wantedOf(conversation: ConversationWindow, budgetTokens: number): Wanted | null {
  const { messages, epoch, preceding, skipped } = conversation
  if (epoch === null) return null
  const { next, unread = 0 } = epoch
  const sizes = sizesOf(conversation)
  const room = FOR_MESSAGES * Math.max(0, budgetTokens - tokensOf(epoch.baseline))
  const isFull = skipped > 0 || sum(sizes) > TAKEN * room
  const isMissing = unread > 0 && next === undefined
  if (!isFull && !isMissing) return null
  const first = isFull ? firstKept(messages, sizes, room) : 0
  const to = messages[first - 1]?.id ?? preceding
  if (to === null || to === next?.to) return null
  if (isMissing) return { before: null, after: null, to }
  if (next === undefined)
    return to === epoch.summarised_to ? null : { before: epoch.summary, after: epoch.summarised_to, to }
  const from = messages.findIndex(({ id }) => id === next.to)
  if (from >= first || (from >= 0 && sum(sizes.slice(from + 1, first)) < MORE * room)) return null
  return { before: next.summary, after: next.to, to }
}
