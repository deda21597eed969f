import type { Achievements } from '@panoptes/engine/achievements'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Review } from '@panoptes/engine/review'
import { createForgetting, type Forgetter, indexForgetter, type Sessions } from '@panoptes/engine/sessions'
import type { Templates } from '@panoptes/engine/templates'
import type { ForgotReply, RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Logger } from 'pino'
import { achievementsForgetter } from './follow-achievements.ts'
import { reviewForgetter } from './follow-review.ts'
import { templatesForgetter } from './follow-templates.ts'

export type Forget = (sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>>

/** What the daemon keeps of sessions. */
interface Kept {
  readonly sessions: Sessions | undefined
  readonly achievements: Achievements | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
  /** Known once they run. */
  readonly inputs: () => readonly Forgetter[]
}

export interface DaemonForgetting {
  /** Forgets in everything that the daemon keeps. */
  readonly forget: Forget
  /** Takes out what only this process has of sessions that another one forgets, until the answer is called. */
  readonly follow: (log: Logger) => () => void
}

/** Nothing where there is no index to find them by. */
export function daemonForgetting(
  ledger: Ledger,
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
  const forget = createForgetting(ledger, [indexForgetter(sessions), own])
  const follow = (log: Logger) => {
    const heard = async () => {
      const pending = await ledger.forgetting.pending()
      if (!pending.ok || pending.value.length === 0) return
      const done = await inTurn(async () => {
        const hidden = await sessions.hide(pending.value)
        return hidden.ok ? own(pending.value) : hidden
      })
      if (!done.ok) log.warn({ code: done.code }, `forgetting: ${done.message}`)
    }
    if (ledger.onTurned === undefined) return () => undefined
    return ledger.onTurned(() => void heard())
  }
  return { forget: (refs) => inTurn(() => forget(refs)), follow }
}

/** What a process that was ended half-way left to be forgotten. */
export async function finishForgetting(ledger: Ledger, forget: Forget, log: Logger): Promise<void> {
  const pending = await ledger.forgetting.pending()
  if (!pending.ok || pending.value.length === 0) return
  const forgot = await forget([])
  if (forgot.ok) log.info({ sessions: forgot.value.sessions }, 'finished forgetting')
  else log.warn({ code: forgot.code }, `forgetting: ${forgot.message}`)
}
