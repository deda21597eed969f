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
  let talk: Talk | null = null
  let events: AsyncIterable<ChatEvent> | null = begun
  for (let tries = 0; tries < TRIES; tries += 1) {
    let isEmpty = events !== null
    try {
      for await (const event of events ?? []) {
        tries = 0
        isEmpty = false
        last = `${event.data.run_id}:${event.data.seq}`
        yield event
        if (event.event === 'done' || event.event === 'error') return
      }
    } catch (error) {
      if (error instanceof CommandFailure && error.code === 'not_found') throw error
      isEmpty = false
    }
    const end = isEmpty && talk && last !== null ? await endOf(talk, conversation, last) : null
    if (end) {
      yield end
      return
    }
    await wait(PAUSE_MS)
    talk = await daemon(paths)
    events = await again(talk, conversation, last)
  }
  throw new CommandFailure('Panoptes broke off in the middle of the answer', {
    code: 'unreachable',
    next: `What came so far is kept. Start it with panoptes up, then: panoptes chat --resume ${conversation}`,
  })
}

/** Where nothing follows what was seen, because a daemon that was killed had not kept all that it told: how the run ended. */
async function endOf(talk: Talk, conversation: string, last: string): Promise<ChatEvent | null> {
  try {
    for await (const event of await talk.follow(conversation, null)) {
      if (!last.startsWith(`${event.data.run_id}:`)) return null
      if (event.event === 'done' || event.event === 'error') return event
    }
  } catch {
    // It is asked again.
  }
  return null
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
