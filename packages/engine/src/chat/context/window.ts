import type { ConversationWindow, NextSummary } from '@panoptes/engine/ledger'
import type { StoredChatMessage } from '@panoptes/schema'
import type { SaidBefore } from '../runtimes/port.ts'
import { tokensOf } from './tokens.ts'

/** More than can be sent, so that there is something to sum up from. */
const CHARS_FOR_A_TOKEN = 6
const MOST_CHARS = 6_000_000

/** How much of a conversation has to be known to answer in it. */
export const windowChars = (budgetTokens: number): number =>
  Math.min(MOST_CHARS, CHARS_FOR_A_TOKEN * budgetTokens)

/** A new epoch keeps so much of what there is room for, so that it lasts. */
const KEPT = 0.35
/** What was summed up meanwhile is taken where it leaves no more than this. */
const LEFT = 0.65
/** The last exchange is kept as long as there is some room beside it. */
const LAST = 0.8

export interface Rooms {
  /** For what was said, where an epoch goes on: all but its baseline, the message and what goes with it. */
  readonly going: number
  /** For what was said, where an epoch begins. */
  readonly beginning: number
}

/** Which messages are sent as they are, and whether that needs a new epoch. */
export interface Chosen {
  readonly isNew: boolean
  /** The first message that is sent, of those in the window. */
  readonly first: number
  /** A summary that is there already: of all before the first. */
  readonly next: NextSummary | null
}

export const isSaid = ({ content }: Pick<StoredChatMessage, 'content'>): boolean => content !== ''

/** What each message takes, with the words that were sent before it. */
export const sizesOf = ({ messages, preambles }: ConversationWindow): readonly number[] =>
  messages.map((message) =>
    isSaid(message) ? tokensOf(message.content) + tokensOf(preambles.get(message.id) ?? '') : 0,
  )

/** An epoch goes on while all of it has room. Then one begins that sends much less, so that it lasts as well. */
export function chooseWindow(
  { messages, epoch, skipped }: ConversationWindow,
  sizes: readonly number[],
  { going, beginning }: Rooms,
): Chosen {
  const all = sum(sizes)
  const isBetter = epoch?.next !== undefined && (epoch.unread ?? 0) > 0
  if (epoch !== null && !isBetter && skipped === 0 && all <= going)
    return { isNew: false, first: 0, next: null }
  if (epoch?.next !== undefined) {
    const { to } = epoch.next
    const first = to === epoch.summarised_to ? 0 : messages.findIndex(({ id }) => id === to) + 1
    const isKnown = first > 0 || to === epoch.summarised_to
    const rest = sum(sizes.slice(first))
    if (isKnown && (first > 0 || skipped === 0) && rest <= LEFT * beginning)
      return { isNew: true, first, next: epoch.next }
  }
  if (skipped === 0 && all <= beginning && (epoch === null || epoch.summarised_to !== null || all <= going))
    return { isNew: true, first: 0, next: null }
  return { isNew: true, first: firstKept(messages, sizes, beginning), next: null }
}

/** Begins with something that the person said. */
export function firstKept(
  messages: readonly Pick<StoredChatMessage, 'role'>[],
  sizes: readonly number[],
  room: number,
): number {
  const within = (most: number) => {
    let at = sizes.length
    for (let left = most; at > 0; at -= 1) {
      left -= sizes[at - 1] ?? 0
      if (left < 0) break
    }
    const first = messages.slice(at).findIndex(({ role }) => role === 'user')
    return first < 0 ? sizes.length : at + first
  }
  const few = within(KEPT * room)
  if (few < sizes.length) return few
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return last >= 0 && sum(sizes.slice(last)) <= LAST * room ? last : sizes.length
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

export const historyOf = (
  { messages, preambles }: ConversationWindow,
  first: number,
): readonly SaidBefore[] =>
  messages
    .slice(first)
    .filter(isSaid)
    .map(({ id, role, content, runtime }) => ({
      id,
      role,
      content,
      runtime,
      preamble: preambles.get(id) ?? null,
    }))
