import { type ChatEvent, type ChatInput, type RuntimeHealth, runtimeStateWords } from '@panoptes/schema'
import { CommandFailure } from '../../failure.ts'
import { plain } from '../sessions/format.ts'
import type { Talk } from './conversation-client.ts'

/** Sends a message to an existing or a new conversation. If the message is refused, the new conversation is deleted. */
export async function sendMessage(
  talk: Talk,
  there: string | null,
  input: ChatInput,
): Promise<{ readonly id: string; readonly events: AsyncIterable<ChatEvent> }> {
  const id = there ?? (await talk.create()).id
  try {
    return { id, events: await begun(talk, id, input) }
  } catch (error) {
    if (there === null) await talk.remove(id).catch(() => undefined)
    throw error
  }
}

/** Sends a message. If it is refused, the error lists the runtimes or says how to follow the running answer. */
async function begun(talk: Talk, id: string, input: ChatInput): Promise<AsyncIterable<ChatEvent>> {
  try {
    return await talk.say(id, input)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    if (error.code === 'busy')
      throw new CommandFailure('This conversation is already answering a message', {
        code: 'busy',
        next: `Follow it with: panoptes chat --resume ${id}`,
      })
    if (error.code !== 'invalid') throw error
    const runtimes = await talk.runtimes().catch(() => [])
    if (input.runtime !== undefined && !runtimes.some(({ id }) => id === input.runtime))
      throw new CommandFailure(`Unknown runtime: ${input.runtime.replace(/^acp:/, '')}`, {
        code: 'not_found',
        next: `Available: ${runtimes.map(nameAndState).join(', ')}\nTo add an agent that speaks ACP, set runtimes.acp in config.yaml (see docs/chat.md)`,
      })
    if (runtimes.some(({ state }) => state === 'ready' || state === 'untried')) throw error
    throw new CommandFailure('No runtime can answer', {
      code: 'not_configured',
      next: runtimes.map(({ id, detail }) => `${id}: ${plain(detail, 300)}`).join('\n'),
    })
  }
}

const nameAndState = ({ id, state }: RuntimeHealth): string =>
  state === 'ready' ? id : `${id} (${runtimeStateWords[state]})`
