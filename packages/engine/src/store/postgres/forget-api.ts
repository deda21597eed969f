import type { Job, Work } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Forgetting } from '../forget-port.ts'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import { forgetTranscript } from '../transcripts/tidy.ts'
import { forgetAccount } from './accounts/index.ts'
import { forgetAchievements } from './achievement-store.ts'
import { forgetMarked } from './annotations.ts'
import { forgetConversation } from './conversations/index.ts'
import type { Database } from './database.ts'
import { beginForgetting, endForgetting, type Forgetter, forget, pendingIn } from './forget.ts'
import { forgetTemplateUses } from './template-uses.ts'
import { forgetTraceLines } from './traces.ts'
import { forgetTurns } from './turns.ts'

interface Around {
  readonly ask: <T>(work: () => Promise<T>) => Promise<Result<T>>
  readonly createJob: (work: Work) => Job
  /** Waits for appends that are under way. */
  readonly settle: () => Promise<void>
  /** This is called when stored rows have changed. */
  readonly cleared: () => void
}

export const createForgetting = (
  database: Database,
  forgotten: ForgottenSessions,
  { ask, createJob, settle, cleared }: Around,
): Forgetting => ({
  has: ({ source, id }) => forgotten.has(source, id),
  forgotten: () => Promise.resolve(success(forgotten.all())),
  pending: () => ask(() => pendingIn(database)),
  begin: async (sessions) => {
    for (const session of sessions) forgotten.add(session)
    const begun = await ask(() => beginForgetting(database, sessions))
    if (!begun.ok) return begun
    // The set of forgotten sessions may have been read again meanwhile.
    for (const session of begun.value) forgotten.add(session)
    return success(null)
  },
  remove: async (sessions, work = {}) => {
    await settle()
    const removed = await ask(() => forget(database, forgetters, sessions, createJob(work)))
    cleared()
    return removed
  },
  end: (sessions) => ask(() => endForgetting(database, sessions)),
})

/** Removes what the store keeps about sessions beside the log. */
const forgetters: readonly Forgetter[] = [
  forgetMarked,
  forgetAchievements,
  forgetTemplateUses,
  forgetTurns,
  forgetTraceLines,
  forgetAccount,
  forgetConversation,
  forgetTranscript,
]
