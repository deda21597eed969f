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

/** Forgets in everything that the daemon keeps; nothing where it has no index to find them by. */
export function daemonForget(
  ledger: Ledger,
  { sessions, achievements, templates, review, inputs }: Kept,
): Forget | undefined {
  if (sessions === undefined) return undefined
  const ofInputs: Forgetter = async (refs) => {
    const removed: RemovedCount[] = []
    for (const forgetter of inputs()) {
      const done = await forgetter(refs)
      if (!done.ok) return done
      removed.push(...done.value)
    }
    return success(removed)
  }
  return createForgetting(ledger, [
    indexForgetter(sessions),
    ...(achievements ? [achievementsForgetter(achievements)] : []),
    ...(templates ? [templatesForgetter(templates)] : []),
    ...(review ? [reviewForgetter(review)] : []),
    ofInputs,
  ])
}

/** What a process that was ended half-way left to be forgotten. */
export async function finishForgetting(ledger: Ledger, forget: Forget, log: Logger): Promise<void> {
  const pending = await ledger.forgetting.pending()
  if (!pending.ok || pending.value.length === 0) return
  const forgot = await forget([])
  if (forgot.ok) log.info({ sessions: forgot.value.sessions }, 'finished forgetting')
  else log.warn({ code: forgot.code }, `forgetting: ${forgot.message}`)
}
