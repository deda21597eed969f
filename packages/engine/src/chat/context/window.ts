import type { ConversationWindow, NextSummary } from '@panoptes/engine/store'
import type { StoredChatMessage } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import type { PriorMessage } from '../runtimes/port.ts'
import { countTokens } from './tokens.ts'

/** More than can be sent, so that there is something to summarize. */
const CHARS_FOR_A_TOKEN = 6
const MOST_CHARS = 6_000_000

/** The number of characters of a conversation that must be loaded to answer in it. */
export const windowChars = (budgetTokens: number): number =>
  Math.min(MOST_CHARS, CHARS_FOR_A_TOKEN * budgetTokens)

/** A new epoch uses only this share of the room for messages, so that it lasts for a while. */
const KEEP_RATIO = 0.35
/** A finished summary is used if it leaves at most this share in use. */
const LEFT = 0.65
/** The last exchange is kept in full unless it takes more than this share. */
const LAST = 0.8

export interface WindowBudgets {
  /**
   * Tokens for messages within an epoch: everything except the baseline, the message and its
   * preamble.
   */
  readonly going: number
  /** Tokens for messages when an epoch begins. */
  readonly beginning: number
}

/** Which messages are sent in full, and whether that needs a new epoch. */
export interface ChosenWindow {
  readonly isNew: boolean
  /** The index of the first message that is sent, within the window. */
  readonly first: number
  /** An existing summary of everything before the first message. */
  readonly next: NextSummary | null
}

export const hasContent = ({ content }: Pick<StoredChatMessage, 'content'>): boolean => content !== ''

/** The tokens of each message, including its preamble. */
export const messageSizes = ({ messages, preambles }: ConversationWindow): readonly number[] =>
  messages.map((message) =>
    hasContent(message) ? countTokens(message.content) + countTokens(preambles.get(message.id) ?? '') : 0,
  )

/**
 * Keeps the epoch while everything fits. Otherwise begins a new one that sends much less, so that
 * it lasts for a while.
 */
export function chooseWindow(
  { messages, epoch, skipped }: ConversationWindow,
  sizes: readonly number[],
  { going, beginning }: WindowBudgets,
): ChosenWindow {
  const all = sum(sizes)
  const isBetter = epoch?.next !== undefined && (epoch.unread ?? 0) > 0
  if (epoch !== null && !isBetter && skipped === 0 && all <= going)
    return { isNew: false, first: 0, next: null }
  if (epoch?.next !== undefined) {
    const { to } = epoch.next
    const first = to === epoch.summarised_to ? 0 : messages.findIndex(({ id }) => id === to) + 1
    const hasSummaryEnd = first > 0 || to === epoch.summarised_to
    const rest = sum(sizes.slice(first))
    if (hasSummaryEnd && (first > 0 || skipped === 0) && rest <= LEFT * beginning)
      return { isNew: true, first, next: epoch.next }
  }
  if (skipped === 0 && all <= beginning && (epoch === null || epoch.summarised_to !== null || all <= going))
    return { isNew: true, first: 0, next: null }
  return { isNew: true, first: findFirstFitting(messages, sizes, beginning), next: null }
}

/** The result always begins with a user message. */
export function findFirstFitting(
  messages: readonly Pick<StoredChatMessage, 'role'>[],
  sizes: readonly number[],
  room: number,
): number {
  const findStart = (most: number) => {
    let at = sizes.length
    for (let left = most; at > 0; at -= 1) {
      left -= sizes[at - 1] ?? 0
      if (left < 0) break
    }
    const first = messages.slice(at).findIndex(({ role }) => role === 'user')
    return first < 0 ? sizes.length : at + first
  }
  const few = findStart(KEEP_RATIO * room)
  if (few < sizes.length) return few
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return last >= 0 && sum(sizes.slice(last)) <= LAST * room ? last : sizes.length
}

export const buildHistory = (
  { messages, preambles }: ConversationWindow,
  first: number,
): readonly PriorMessage[] =>
  messages
    .slice(first)
    .filter(hasContent)
    .map(({ id, role, content, runtime }) => ({
      id,
      role,
      content,
      runtime,
      preamble: preambles.get(id) ?? null,
    }))
