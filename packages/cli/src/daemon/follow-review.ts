import { openReview, type Review, type ReviewOptions } from '@panoptes/engine/outcomes'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { ReadSessions } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { HealthCheck, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Log } from './log.ts'
import type { Home } from './start-options.ts'

/** Opens the outcomes of a home. It reads nothing until a caller asks for it. */
export const reviewOf = (
  { paths, env, config, place, reviewPacing }: Home,
  store: EventStore,
  sessions: ReadSessions,
  told: Pick<ReviewOptions, 'commandFailed' | 'problem'> = {},
): Promise<Result<Review>> =>
  openReview({ store, sessions, config, paths, env, place, pacing: reviewPacing, ...told })

/** Opens the outcomes for a daemon. If this fails, the rest of Panoptes still works. */
export async function openReviewOf(
  home: Home,
  store: EventStore,
  sessions: ReadSessions,
  { logger }: Log,
): Promise<Review | undefined> {
  const opened = await reviewOf(home, store, sessions, {
    commandFailed: (reason) => logger.warn({ reason }, 'budgets.command failed'),
    problem: (reason) => logger.warn(`outcomes: ${reason}`),
  })
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `outcomes: ${opened.message}`)
  return undefined
}

/** Removes lines from the journals. The store deletes its own rows separately. */
export const reviewForgetter =
  (review: Pick<Review, 'forget'>): Forgetter =>
  async (sessions) => {
    const gone = await review.forget(sessions)
    return gone.ok ? success([{ from: 'journals', what: 'lines', count: gone.value }]) : gone
  }

/** Reports current problems of the outcomes. */
export function reviewChecks(review: Pick<Review, 'reading'> | undefined): readonly HealthCheck[] {
  const { state, problem } = review?.reading() ?? { state: 'idle', problem: null }
  if (problem === null || state === 'running') return []
  return [
    {
      id: 'ledger-reading',
      title: 'Outcomes of sessions',
      state: state === 'failed' ? 'failed' : 'warning',
      detail: 'Some sessions could not be read, or journals could not be written.',
      cause: problem,
      next: 'Fix the cause; Panoptes retries automatically.',
    },
  ]
}
