import type { ChatMessage } from '@panoptes/engine/models'
import { GUIDANCE_MARK } from './words.ts'

/** The conversation with the guidance as a message of its own at the end: what stands before it stays the same from call to call. */
export const withGuidance = (
  messages: readonly ChatMessage[],
  guidance: string | null,
): readonly ChatMessage[] =>
  guidance === null ? messages : [...messages, { role: 'user', content: guidance }]

const TAKES_IT = ['user', 'tool']

/** For endpoints that want turns to alternate: the guidance at the end of what the person said last, or of what a tool gave. */
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
  /** The conversation alone. */
  readonly messages: readonly ChatMessage[]
  readonly guidance: string | null
}

/** Takes the guidance out of what an acting model was sent. */
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
