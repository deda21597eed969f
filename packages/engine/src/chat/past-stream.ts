import type { Conversations, KeptConversation } from '@panoptes/engine/ledger'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Streamed } from './chat.ts'
import { followElsewhere, hasEnded } from './run/elsewhere.ts'
import { eventsAfter, eventsIn } from './run/live-run.ts'

/** A run that does not go on in this process, from a place in it on. */
export async function pastStream(
  conversations: Conversations,
  kept: KeptConversation,
  wanted: string | null,
  seq: number,
): Promise<Result<Streamed>> {
  const newest = kept.messages.findLast(({ run_id }) => run_id !== null)?.run_id
  const run_id = wanted ?? newest
  if (!run_id) return failure('not_found', 'Nothing was answered in this conversation yet.')
  const past = await conversations.events(run_id)
  if (!past.ok) return past
  const events = eventsIn(past.value?.events ?? '')
  // It may go on in another process.
  if (kept.run_id === run_id && !hasEnded(events)) {
    const elsewhere = { conversations, conversation: kept.id, run_id }
    return success({ run_id, events: (signal) => followElsewhere(elsewhere, seq, signal) })
  }
  if (past.value?.conversation !== kept.id)
    return failure('not_found', 'The events of this run are not kept any more.')
  return success({
    run_id,
    events: async function* () {
      yield* eventsAfter(events, seq)
    },
  })
}
