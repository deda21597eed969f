import type { Job, Work } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Forgetting } from '../forget-port.ts'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import type { Database } from './database.ts'
import { beginForgetting, endForgetting, forget, pendingIn } from './forget.ts'
import { forgetters } from './forgetters.ts'

interface Around {
  readonly ask: <T>(work: () => Promise<T>) => Promise<Result<T>>
  readonly jobOf: (work: Work) => Job
  /** Waits for what is being stored. */
  readonly settle: () => Promise<void>
  /** Hears that rows are not what they were. */
  readonly cleared: () => void
}

export const forgettingOf = (
  database: Database,
  forgotten: ForgottenSessions,
  { ask, jobOf, settle, cleared }: Around,
): Forgetting => ({
  has: ({ source, id }) => forgotten.has(source, id),
  forgotten: () => Promise.resolve(success(forgotten.all())),
  pending: () => ask(() => pendingIn(database)),
  begin: async (sessions) => {
    for (const session of sessions) forgotten.add(session)
    const begun = await ask(() => beginForgetting(database, sessions))
    // Who was forgotten may have been read again meanwhile.
    for (const session of sessions) forgotten.add(session)
    return begun
  },
  remove: async (sessions, work = {}) => {
    await settle()
    const removed = await ask(() => forget(database, forgetters, sessions, jobOf(work)))
    cleared()
    return removed
  },
  end: (sessions) => ask(() => endForgetting(database, sessions)),
})
