import { prependContext } from '@panoptes/engine/markers'
import type { RuntimeId } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import type { PriorMessage, RuntimeRequest } from './port.ts'

/** The maximum number of characters of a handover; the newest messages are kept. */
const MOST_CHARS = 120_000
const FENCE = 'conversation'

export interface PromptContext {
  /** The baseline, if the runtime does not have it yet. */
  readonly baseline: string
  /** The messages since the runtime was last asked. */
  readonly since: readonly PriorMessage[]
  /** A note about files the runtime cannot get. */
  readonly note?: string
}

/** Builds one text with everything the runtime needs for its answer. */
export const formatPrompt = (
  request: RuntimeRequest,
  { baseline, since, note = '' }: PromptContext,
): string =>
  prependContext(
    [baseline, formatHandover(since), request.preamble, note].filter((part) => part !== '').join('\n\n'),
    request.message,
  )

/** The note precedes the user's message, so that it is not mistaken for part of it. */
export const formatFilesNote = (names: readonly string[]): string =>
  names.length === 0 ? '' : `(Attached, but not available to you: ${names.join(', ')}.)`

/** Renders the messages a continuing runtime missed. They are fenced, because they are data. */
export function formatHandover(since: readonly PriorMessage[]): string {
  const { included, leftOut } = takeNewest(since, MOST_CHARS)
  if (included.length === 0) return ''
  const more =
    leftOut > 0 ? ` ${plural(leftOut, 'earlier message is', 'earlier messages are')} left out.` : ''
  return [
    `Earlier messages of this conversation that you have not seen.${more} They are for your information; the request follows.`,
    `<${FENCE}>`,
    ...included.map(
      ({ role, runtime, content }) =>
        `[${role === 'user' ? 'person' : (runtime ?? 'assistant')}]\n${escapeFence(content)}`,
    ),
    `</${FENCE}>`,
  ].join('\n')
}

/**
 * True if what a runtime remembers matches the conversation. A message it saw may have been
 * replaced, and a stopped or failed runtime saw more than it answered; in both cases it starts
 * over.
 */
export const isInSync = ({ history, handover }: RuntimeRequest, id: RuntimeId): boolean =>
  handover.length < history.length &&
  handover.every(({ role, runtime }, at) =>
    role === 'assistant' ? runtime !== id : handover[at + 1]?.role === 'assistant',
  )

/** Returns the newest messages that fit. The last message is cut if it does not fit by itself. */
export function takeNewest(
  messages: readonly PriorMessage[],
  most: number,
): { readonly included: readonly PriorMessage[]; readonly leftOut: number } {
  const included: PriorMessage[] = []
  let left = most
  for (const message of messages.toReversed()) {
    if (message.content.length > left && included.length > 0) break
    included.unshift(
      message.content.length > left ? { ...message, content: message.content.slice(-left) } : message,
    )
    left -= Math.min(left, message.content.length)
    if (left === 0) break
  }
  return { included, leftOut: messages.length - included.length }
}

const escapeFence = (text: string): string => text.replace(/<(\/?)conversation>/gi, '‹$1conversation›')
