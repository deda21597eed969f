import type { Achievements } from '@panoptes/engine/achievements'
import type { Review } from '@panoptes/engine/outcomes'
import { createForgetting, type Forgetter, indexForgetter, type Sessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { Templates } from '@panoptes/engine/templates'
import type { ForgotReply, RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Logger } from 'pino'
import { achievementsForgetter } from './follow-achievements.ts'
import { reviewForgetter } from './follow-review.ts'
import { templatesForgetter } from './follow-templates.ts'

export type Forget = (sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>>

/** Everything that the daemon stores about sessions. */
interface Kept {
  readonly sessions: Sessions | undefined
  readonly achievements: Achievements | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
  /** The inputs exist only after they start, so this is a function. */
  readonly inputs: () => readonly Forgetter[]
}

export interface DaemonForgetting {
  /** Deletes sessions from everything that the daemon stores. */
  readonly forget: Forget
  /**
   * Follows deletions by other processes and removes data that only this process has, until the returned
   * function is called.
   */
  readonly follow: (log: Logger) => () => void
}

/** Returns nothing without an index, because sessions cannot be found then. */
export function daemonForgetting(
  store: EventStore,
  { sessions, achievements, templates, review, inputs }: Kept,
): DaemonForgetting | undefined {
  if (sessions === undefined) return undefined
  const own: Forgetter = async (refs) => {
    const removed: RemovedCount[] = []
    for (const forgetter of [
      ...(achievements ? [achievementsForgetter(achievements)] : []),
      ...(templates ? [templatesForgetter(templates)] : []),
      ...(review ? [reviewForgetter(review)] : []),
      ...inputs(),
    ]) {
      const done = await forgetter(refs)
      if (!done.ok) return done
      removed.push(...done.value)
    }
    return success(removed)
  }
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const begun = turn.then(work)
    turn = begun.catch(() => undefined)
    return begun
  }
  const forget = createForgetting(store, [indexForgetter(sessions), own])
  const follow = (log: Logger) => {
    const heard = async () => {
      const pending = await store.forgetting.pending()
      if (!pending.ok || pending.value.length === 0) return
      const done = await inTurn(async () => {
        const hidden = await sessions.hide(pending.value)
        return hidden.ok ? own(pending.value) : hidden
      })
      if (!done.ok) log.warn({ code: done.code }, `delete sessions: ${done.message}`)
    }
    if (store.onTurned === undefined) return () => undefined
    return store.onTurned(() => void heard())
  }
  return { forget: (refs) => inTurn(() => forget(refs)), follow }
}

/** Completes the deletions of a process that ended before it finished them. */
export async function finishForgetting(store: EventStore, forget: Forget, log: Logger): Promise<void> {
  const pending = await store.forgetting.pending()
  if (!pending.ok || pending.value.length === 0) return
  const forgot = await forget([])
  if (forgot.ok) log.info({ sessions: forgot.value.sessions }, 'finished deleting sessions')
  else log.warn({ code: forgot.code }, `delete sessions: ${forgot.message}`)
}
