import type { ChatMessage } from '@panoptes/engine/models'
import { GUIDANCE_MARK } from './guidance-text.ts'

/**
 * Appends the guidance as a message of its own, so that the prefix stays the same from call to call
 * and can be cached.
 */
export const withGuidance = (
  messages: readonly ChatMessage[],
  guidance: string | null,
): readonly ChatMessage[] =>
  guidance === null ? messages : [...messages, { role: 'user', content: guidance }]

const TAKES_IT = ['user', 'tool']

/**
 * Appends the guidance to the last user message or tool result, for endpoints that require
 * alternating turns.
 */
export function withMergedGuidance(
  messages: readonly ChatMessage[],
  guidance: string,
): readonly ChatMessage[] | undefined {
  const last = messages.at(-1)
  if (last === undefined || !TAKES_IT.includes(last.role)) return undefined
  const { content } = last
  const merged = Array.isArray(content)
    ? [...content, { type: 'text', text: guidance }]
    : `${typeof content === 'string' ? content : ''}\n\n${guidance}`
  return [...messages.slice(0, -1), { ...last, content: merged }]
}

export interface Parted {
  /** The conversation without the guidance. */
  readonly messages: readonly ChatMessage[]
  readonly guidance: string | null
}

/** Separates the guidance from the messages an acting model was sent. */
export function parted(messages: readonly ChatMessage[]): Parted {
  const last = messages.at(-1)
  if (last === undefined || !TAKES_IT.includes(last.role)) return { messages, guidance: null }
  const { content } = last
  const before = messages.slice(0, -1)
  if (typeof content === 'string') {
    if (content.startsWith(GUIDANCE_MARK)) return { messages: before, guidance: content }
    const at = content.lastIndexOf(`\n\n${GUIDANCE_MARK}`)
    return at < 0
      ? { messages, guidance: null }
      : { messages: [...before, { ...last, content: content.slice(0, at) }], guidance: content.slice(at + 2) }
  }
  const text: unknown = Array.isArray(content) ? content.at(-1)?.text : undefined
  return typeof text === 'string' && text.startsWith(GUIDANCE_MARK)
    ? { messages: [...before, { ...last, content: (content as unknown[]).slice(0, -1) }], guidance: text }
    : { messages, guidance: null }
}
