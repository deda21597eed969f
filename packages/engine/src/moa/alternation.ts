import type { ChatMessage, ModelError } from '@panoptes/engine/models'

/**
 * Some servers reject two turns of the same role in a row as a bad request; others fail with a
 * server error that explains it.
 */
export const mayWantAlternation = ({ class: kind, status, message }: ModelError): boolean =>
  (status === 400 && kind === 'invalid') || (status !== null && status >= 400 && /alternat/i.test(message))

const BEGUN = '[What is shown of the conversation begins here.]'

/**
 * Merges consecutive messages of one role into one and puts a user message first. Returns undefined
 * if the messages already alternate.
 */
export function alternated(messages: readonly ChatMessage[]): readonly ChatMessage[] | undefined {
  const turns: ChatMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const isFirst = message.role === 'assistant' && (last === undefined || last.role === 'system')
    if (isFirst) turns.push({ role: 'user', content: BEGUN })
    if (last !== undefined && last.role === message.role)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
    else turns.push(message)
  }
  const isSame = turns.length === messages.length && turns.every((turn, at) => turn === messages[at])
  return isSame ? undefined : turns
}
