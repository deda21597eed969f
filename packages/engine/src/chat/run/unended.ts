import type { Conversations } from '@panoptes/engine/ledger'
import type { ChatEvent, Result } from '@panoptes/schema'
import { isPrivate } from '@panoptes/schema/reading'
import { success } from '@panoptes/schema/result'
import type { pastTeller } from '../tell.ts'
import { eventLines, eventsIn } from './live-run.ts'

const WHY = 'Panoptes ended before the answer did.'

export interface UnendedOptions {
  /** None of those of this process. */
  readonly others?: boolean | undefined
  readonly only?: ((conversation: string) => boolean) | undefined
  /** Hears of each run that is given its end, with all that is known of it. */
  readonly onEnded?: ReturnType<typeof pastTeller> | undefined
}

/** Runs that nobody works on any more get their end: what was said of the answer stays, marked. */
export async function endUnended(
  conversations: Conversations,
  { only = () => true, others, onEnded }: UnendedOptions = {},
): Promise<Result<number>> {
  const now = Date.now()
  const unended = await conversations.unended({ others })
  if (!unended.ok) return unended
  const left = unended.value.filter(({ conversation }) => only(conversation))
  for (const { conversation, run_id } of left) {
    const [kept, told] = await Promise.all([conversations.get(conversation), conversations.events(run_id)])
    if (!kept.ok) return kept
    if (!told.ok) return told
    const answer = kept.value?.messages.findLast((message) => message.run_id === run_id)
    if (answer === undefined) continue
    const events = eventsIn(told.value?.events ?? '')
    const isPartial = answer.content !== ''
    const error: ChatEvent = {
      event: 'error',
      data: {
        v: 1,
        seq: events.length + 1,
        ts: now,
        conversation_id: conversation,
        run_id,
        runtime: answer.runtime ?? 'jarvis',
        code: 'interrupted',
        message: WHY,
        retryable: true,
        stage: 'answer',
        ...(isPartial ? { partial_message_id: answer.id } : {}),
      },
    }
    const ended = await conversations.end({
      conversation,
      run_id,
      answer: {
        ...answer,
        status: isPartial ? 'partial' : 'failed',
        ended_at: now,
        error: { code: 'interrupted', message: WHY },
      },
      events: eventLines([error]),
    })
    if (!ended.ok) return ended
    const { conversation_id, runtime } = error.data
    const question = kept.value?.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const about = {
      title: kept.value?.title ?? '',
      message: question,
      first: kept.value?.first_runtime ?? runtime,
      isCountedHere: answer.is_counted_here === true,
      isPrivate: kept.value !== null && isPrivate(kept.value),
    }
    onEnded?.({ conversation_id, run_id, runtime }, about, [...events, error])
  }
  return success(left.length)
}
