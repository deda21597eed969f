import type { Conversations } from '@panoptes/engine/store'
import type { ChatEvent, Result } from '@panoptes/schema'
import { isPrivate } from '@panoptes/schema/reading'
import { success } from '@panoptes/schema/result'
import type { createPastRunReporter } from '../live-reporter.ts'
import { parseEvents, serializeEvents } from './live-run.ts'

const WHY = 'Panoptes stopped before the answer was complete.'

export interface RecoverRunsOptions {
  /** Skips the runs of this process. */
  readonly others?: boolean | undefined
  readonly only?: ((conversation: string) => boolean) | undefined
  /** Called for each run that is ended here, with everything known about it. */
  readonly onEnded?: ReturnType<typeof createPastRunReporter> | undefined
}

/** Ends runs that no process works on any more. The partial answer is kept and marked. */
export async function recoverRuns(
  conversations: Conversations,
  { only = () => true, others, onEnded }: RecoverRunsOptions = {},
): Promise<Result<number>> {
  const now = Date.now()
  const unended = await conversations.unended({ others })
  if (!unended.ok) return unended
  const left = unended.value.filter(({ conversation }) => only(conversation))
  for (const { conversation, run_id } of left) {
    const [stored, storedEvents] = await Promise.all([
      conversations.get(conversation),
      conversations.events(run_id),
    ])
    if (!stored.ok) return stored
    if (!storedEvents.ok) return storedEvents
    const answer = stored.value?.messages.findLast((message) => message.run_id === run_id)
    if (answer === undefined) continue
    const events = parseEvents(storedEvents.value?.events ?? '')
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
      events: serializeEvents([error]),
    })
    if (!ended.ok) return ended
    const { conversation_id, runtime } = error.data
    const question = stored.value?.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const about = {
      title: stored.value?.title ?? '',
      message: question,
      first: stored.value?.first_runtime ?? runtime,
      isCountedHere: answer.is_counted_here === true,
      isPrivate: stored.value !== null && isPrivate(stored.value),
    }
    onEnded?.({ conversation_id, run_id, runtime }, about, [...events, error])
  }
  return success(left.length)
}
