import type { Achievements } from '@panoptes/engine/achievements'
import type { Ledger } from '@panoptes/engine/ledger'
import { createForgetting, type Forgetter, indexForgetter, type Sessions } from '@panoptes/engine/sessions'
import type { ForgotReply, RemovedCount, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Logger } from 'pino'
import { achievementsForgetter } from './follow-achievements.ts'

export type Forget = (sessions: readonly SessionRef[]) => Promise<Result<ForgotReply>>

/** Forgets in everything that the daemon keeps; what the inputs keep is known once they run. */
export const daemonForget = (
  ledger: Ledger,
  sessions: Sessions,
  achievements: Achievements | undefined,
  inputs: () => readonly Forgetter[],
): Forget => {
  const ofInputs: Forgetter = async (refs) => {
    const removed: RemovedCount[] = []
    for (const forgetter of inputs()) {
      const done = await forgetter(refs)
      if (!done.ok) return done
      removed.push(...done.value)
    }
    return success(removed)
  }
  const ofAchievements = achievements ? [achievementsForgetter(achievements)] : []
  return createForgetting(ledger, [indexForgetter(sessions), ...ofAchievements, ofInputs])
}

/** What a process that was ended half-way left to be forgotten. */
export async function finishForgetting(ledger: Ledger, forget: Forget, log: Logger): Promise<void> {
  const pending = await ledger.forgetting.pending()
  if (!pending.ok || pending.value.length === 0) return
  const forgot = await forget([])
  if (forgot.ok) log.info({ sessions: forgot.value.sessions }, 'finished forgetting')
  else log.warn({ code: forgot.code }, `forgetting: ${forgot.message}`)
}
