import type { Ledger } from '@panoptes/engine/ledger'
import { openReview, type Review, type ReviewOptions } from '@panoptes/engine/review'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { HealthCheck, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Log } from './log.ts'
import type { Home } from './start.ts'

/** What sessions amounted to, as the home says. Nothing is read until it is asked for. */
export const reviewOf = (
  { paths, env, config, place, reviewPacing }: Home,
  ledger: Ledger,
  told: Pick<ReviewOptions, 'commandFailed' | 'problem'> = {},
): Promise<Result<Review>> => openReview({ ledger, config, paths, env, place, pacing: reviewPacing, ...told })

/** The same for a daemon. Without it Panoptes still does everything else. */
export async function openReviewOf(home: Home, ledger: Ledger, { logger }: Log): Promise<Review | undefined> {
  const opened = await reviewOf(home, ledger, {
    commandFailed: (reason) => logger.warn({ reason }, 'budgets.command failed'),
    problem: (reason) => logger.warn(`ledger: ${reason}`),
  })
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `ledger: ${opened.message}`)
  return undefined
}

/** Lines of the journals go; what the ledger itself keeps goes with the rest of it. */
export const reviewForgetter =
  (review: Pick<Review, 'forget'>): Forgetter =>
  async (sessions) => {
    const gone = await review.forget(sessions)
    return gone.ok ? success([{ from: 'journals', what: 'lines', count: gone.value }]) : gone
  }

/** What is wrong with it now. */
export function reviewChecks(review: Pick<Review, 'reading'> | undefined): readonly HealthCheck[] {
  const { state, problem } = review?.reading() ?? { state: 'idle', problem: null }
  if (problem === null || state === 'running') return []
  return [
    {
      id: 'ledger-reading',
      title: 'What sessions amounted to',
      state: state === 'failed' ? 'failed' : 'warning',
      detail: 'Some of it could not be read, or not be written into the journals.',
      cause: problem,
      next: 'Remove the cause; Panoptes tries again by itself.',
    },
  ]
}
