import type { ChatEvent, ChatInput, RuntimeHealth } from '@panoptes/schema'
import { CommandFailure } from '../../failure.ts'
import { plain } from '../sessions/words.ts'
import type { Talk } from './talk.ts'

/** Says something in a conversation that is there, or in a new one, which a refusal leaves nothing of. */
export async function saidIn(
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

/** Says something; a refusal says who there is to answer, or how to follow what is being answered. */
async function begun(talk: Talk, id: string, input: ChatInput): Promise<AsyncIterable<ChatEvent>> {
  try {
    return await talk.say(id, input)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    if (error.code === 'busy')
      throw new CommandFailure('Another message of this conversation is being answered', {
        code: 'busy',
        next: `Follow it with: panoptes chat --resume ${id}`,
      })
    if (error.code !== 'invalid') throw error
    const runtimes = await talk.runtimes().catch(() => [])
    if (input.runtime !== undefined && !runtimes.some(({ id }) => id === input.runtime))
      throw new CommandFailure(`There is no runtime ${input.runtime.replace(/^acp:/, '')}`, {
        code: 'not_found',
        next: `There are: ${runtimes.map(nameAndState).join(', ')}`,
      })
    if (runtimes.some(({ state }) => state === 'ready')) throw error
    throw new CommandFailure('Nobody is there to answer', {
      code: 'not_configured',
      next: runtimes.map(({ id, detail }) => `${id}: ${plain(detail, 300)}`).join('\n'),
    })
  }
}

const nameAndState = ({ id, state }: RuntimeHealth): string =>
  state === 'ready' ? id : `${id} (${state.replaceAll('_', ' ')})`
