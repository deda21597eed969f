import type { RuntimeId } from '@panoptes/schema'
import type { RuntimeRequest, SaidBefore } from './port.ts'

/** Characters of what others said; the newest of it. */
const MOST_CHARS = 120_000
const FENCE = 'conversation'

export interface Told {
  /** The baseline, where it was not told yet. */
  readonly baseline: string
  /** What was said since it was last asked. */
  readonly since: readonly SaidBefore[]
}

/** One text with all that a runtime has to know for its answer. */
export const promptText = (request: RuntimeRequest, { baseline, since }: Told): string =>
  [baseline, handedOver(since), request.preamble, request.message].filter((part) => part !== '').join('\n\n')

/** What was said without it, for a runtime that goes on. Between the fences is what people and others said: data. */
export function handedOver(since: readonly SaidBefore[]): string {
  const { said, leftOut } = newest(since, MOST_CHARS)
  if (said.length === 0) return ''
  const more = leftOut > 0 ? ` ${leftOut} earlier messages are left out.` : ''
  return [
    `What was said in this conversation before, as far as you did not take part.${more} It is told so that you know it; the request comes after it.`,
    `<${FENCE}>`,
    ...said.map(
      ({ role, runtime, content }) =>
        `[${role === 'user' ? 'person' : (runtime ?? 'assistant')}]\n${unfenced(content)}`,
    ),
    `</${FENCE}>`,
  ].join('\n')
}

/**
 * Whether what a runtime remembers is what was said. What it saw last may have been replaced since; and where it was stopped or failed it
 * saw more than it answered, so that it begins anew rather than hear it twice.
 */
export const isGoingOn = ({ history, handover }: RuntimeRequest, id: RuntimeId): boolean =>
  handover.length < history.length &&
  handover.every(({ role, runtime }, at) =>
    role === 'assistant' ? runtime !== id : handover[at + 1]?.role === 'assistant',
  )

/** The last of them that fit; a message that does not is cut, when it is the last. */
export function newest(
  messages: readonly SaidBefore[],
  most: number,
): { readonly said: readonly SaidBefore[]; readonly leftOut: number } {
  const said: SaidBefore[] = []
  let left = most
  for (const message of messages.toReversed()) {
    if (message.content.length > left && said.length > 0) break
    said.unshift(
      message.content.length > left ? { ...message, content: message.content.slice(-left) } : message,
    )
    left -= Math.min(left, message.content.length)
    if (left === 0) break
  }
  return { said, leftOut: messages.length - said.length }
}

const unfenced = (text: string): string => text.replace(/<(\/?)conversation>/gi, '‹$1conversation›')
