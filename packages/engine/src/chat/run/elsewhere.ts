import type { Conversations } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import type { ChatEvent } from '@panoptes/schema'
import { eventsAfter, eventsIn } from './live-run.ts'
import { endUnended } from './unended.ts'

/** A run is stored each second. */
const LOOK_MS = 500
/** So often without news it is asked whether the process that it goes on in still lives. */
const QUIET_LOOKS = 6

interface Elsewhere {
  readonly conversations: Conversations
  readonly conversation: string
  readonly run_id: string
}

/** What follows a place in a run that goes on in another process, as it is stored, until its end; it gets one where that process is gone. */
export async function* followElsewhere(
  { conversations, conversation, run_id }: Elsewhere,
  seq: number,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent, undefined> {
  let at = seq
  for (let quiet = 1; !signal?.aborted; quiet += 1) {
    const kept = await conversations.events(run_id)
    // Nothing is stored in its first moments.
    if (kept.ok && kept.value === null && quiet > QUIET_LOOKS) return
    const events = kept.ok ? eventsIn(kept.value?.events ?? '') : []
    const isOver = hasEnded(events)
    const news = isOver ? eventsAfter(events, at) : events.filter(({ data }) => data.seq > at)
    for (const event of news) yield event
    if (isOver) return
    if (news.length > 0) quiet = 0
    at = Math.max(at, news.at(-1)?.data.seq ?? 0)
    if (quiet % QUIET_LOOKS === 0) await endUnended(conversations, { only: (one) => one === conversation })
    else await pause(LOOK_MS, signal)
  }
}

export const hasEnded = (events: readonly ChatEvent[]): boolean => {
  const last = events.at(-1)?.event
  return last === 'done' || last === 'error'
}
