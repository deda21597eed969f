import { setTimeout as wait } from 'node:timers/promises'
import type { ChatEvent } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { CommandFailure } from '../../failure.ts'
import { type Talk, talkOf } from './talk.ts'

const TRIES = 60
const PAUSE_MS = 250

/**
 * The events of one answer to its end. The run belongs to the daemon: where the connection breaks, it is asked for what
 * follows the last event that came, also when it was started anew meanwhile.
 */
export async function* wholeAnswer(
  { paths }: Context,
  conversation: string,
  begun: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, undefined> {
  let last: string | null = null
  let events: AsyncIterable<ChatEvent> | null = begun
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      for await (const event of events ?? []) {
        tries = 0
        last = `${event.data.run_id}:${event.data.seq}`
        yield event
        if (event.event === 'done' || event.event === 'error') return
      }
    } catch (error) {
      if (error instanceof CommandFailure && error.code === 'not_found') throw error
    }
    await wait(PAUSE_MS)
    events = await again(await daemon(paths), conversation, last)
  }
  throw new CommandFailure('Panoptes broke off in the middle of the answer', {
    code: 'unreachable',
    next: `What came so far is kept. Start it with panoptes up, then: panoptes chat --resume ${conversation}`,
  })
}

const daemon = async (paths: Context['paths']): Promise<Talk | null> => {
  const client = await connect(paths).catch(() => undefined)
  return client ? talkOf(client) : null
}

const again = (
  talk: Talk | null,
  conversation: string,
  last: string | null,
): Promise<AsyncIterable<ChatEvent> | null> =>
  talk === null ? Promise.resolve(null) : talk.follow(conversation, last).catch(() => null)
