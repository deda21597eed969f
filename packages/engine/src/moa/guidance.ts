import type { ChatMessage } from '@panoptes/engine/models'

/** The conversation with the guidance as a message of its own at the end: what stands before it stays the same from call to call. */
export const withGuidance = (
  messages: readonly ChatMessage[],
  guidance: string | null,
): readonly ChatMessage[] =>
  guidance === null ? messages : [...messages, { role: 'user', content: guidance }]

/** For endpoints that want turns to alternate: the guidance in the person's own message, where that is the last one. */
export function withMergedGuidance(
  messages: readonly ChatMessage[],
  guidance: string,
): readonly ChatMessage[] | undefined {
  const last = messages.at(-1)
  if (last?.role !== 'user') return undefined
  const { content } = last
  const merged = Array.isArray(content)
    ? [...content, { type: 'text', text: guidance }]
    : `${typeof content === 'string' ? content : ''}\n\n${guidance}`
  return [...messages.slice(0, -1), { ...last, content: merged }]
}
