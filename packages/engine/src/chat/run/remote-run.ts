import { pause } from '@panoptes/engine/abortable'
import type { Conversations } from '@panoptes/engine/store'
import type { ChatEvent } from '@panoptes/schema'
import { eventsAfter, parseEvents } from './live-run.ts'
import { recoverRuns } from './recover-runs.ts'

/** A run is stored every second, so polling twice as often is enough. */
const LOOK_MS = 500
/** After this many polls without news, checks whether the run's process is still alive. */
const QUIET_LOOKS = 6

interface RemoteRun {
  readonly conversations: Conversations
  readonly conversation: string
  readonly run_id: string
}

/**
 * Streams the stored events of a run in another process from a position to its end. If that process
 * is gone, it ends the run.
 */
export async function* followRemoteRun(
  { conversations, conversation, run_id }: RemoteRun,
  seq: number,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent, undefined> {
  let at = seq
  for (let quiet = 1; !signal?.aborted; quiet += 1) {
    const stored = await conversations.events(run_id)
    // Nothing is stored in the first moments of a run.
    if (stored.ok && stored.value === null && quiet > QUIET_LOOKS) return
    const events = stored.ok ? parseEvents(stored.value?.events ?? '') : []
    const isOver = hasEnded(events)
    const news = isOver ? eventsAfter(events, at) : events.filter(({ data }) => data.seq > at)
    for (const event of news) yield event
    if (isOver) return
    if (news.length > 0) quiet = 0
    at = Math.max(at, news.at(-1)?.data.seq ?? 0)
    if (quiet % QUIET_LOOKS === 0) await recoverRuns(conversations, { only: (one) => one === conversation })
    else await pause(LOOK_MS, signal)
  }
}

export const hasEnded = (events: readonly ChatEvent[]): boolean => {
  const last = events.at(-1)?.event
  return last === 'done' || last === 'error'
}
