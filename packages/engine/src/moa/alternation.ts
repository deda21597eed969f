import type { ChatMessage, ModelError } from '@panoptes/engine/models'

/** Two turns of the same side in a row are refused as a bad request; some servers break over it, and say why. */
export const mayWantAlternation = ({ class: kind, status, message }: ModelError): boolean =>
  (status === 400 && kind === 'invalid') || (status !== null && status >= 400 && /alternat/i.test(message))

const BEGUN = '[What is shown of the conversation begins here.]'

/** The same with what one side said in a row as one message, a person’s first; nothing where it is so already. */
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
