import { hostname } from 'node:os'
import { endUnended, pastTeller } from '@panoptes/engine/chat'
import type { Ledger, LedgerJob } from '@panoptes/engine/ledger'
import { createJudge, createNotifier } from '@panoptes/engine/live'
import { aborted, pause } from '@panoptes/engine/waiting'
import type { Config, NewEvent, Result } from '@panoptes/schema'
import type { Logger } from 'pino'
import { type Forget, finishForgetting } from './forgetting.ts'
import { keepWithinLimits, type Unsent } from './retention.ts'
import type { OpenedRooms } from './rooms.ts'

interface Parts {
  readonly ledger: Ledger
  /** What a person's own command gets of variables. */
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  readonly rooms: Pick<OpenedRooms, 'sessions' | 'achievements' | 'review'>
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly forget: Forget | undefined
  /** What is sent to a hub; what it still needs stays. */
  readonly forward?: Unsent | undefined
  readonly log: Logger
  /** Nobody is judged. */
  readonly isMadeUp: boolean
  /** Other processes have the ledger open too. */
  readonly isShared: boolean
}

const UNENDED_MS = 10_000

/**
 * What one process at a time does for a ledger: reads sessions into the index, counts, reviews, judges, keeps within limits. Of
 * several hubs each job is done by one of them, and by another when that one is gone.
 */
export function startLeading(parts: Parts): { readonly stop: () => Promise<void> } {
  const { ledger, config, rooms, log } = parts
  const { sessions, achievements, review } = rooms
  const end = new AbortController()
  const lead = (job: LedgerJob, work: (signal: AbortSignal) => Promise<void>) =>
    ledger.lead(job, work, end.signal)
  const jobs: Promise<void>[] = []
  if (sessions)
    jobs.push(
      lead('index', async (signal) => {
        const unfollow = sessions.follow()
        const read = await sessions.refresh(signal)
        if (!read.ok && !signal.aborted) log.warn({ code: read.code }, `sessions: ${read.message}`)
        await aborted(signal)
        unfollow()
      }),
    )
  if (achievements) jobs.push(lead('scan', whileLeading(achievements.follow)))
  if (review) jobs.push(lead('review', whileLeading(review.follow)))
  jobs.push(
    lead('limits', async (signal) => {
      if (parts.forget) await finishForgetting(ledger, parts.forget, log)
      await keepWithinLimits(ledger, config, log, signal, parts.forward)
    }),
  )
  if (!parts.isMadeUp) jobs.push(lead('judge', (signal) => judge(parts, signal)))
  if (parts.isShared) jobs.push(lead('conversations', (signal) => endLeft(parts, signal)))
  return {
    stop: async () => {
      end.abort()
      await Promise.all(jobs)
    },
  }
}

const whileLeading = (follow: () => () => void) => async (signal: AbortSignal) => {
  const unfollow = follow()
  await aborted(signal)
  unfollow()
}

/** Says who is stuck or gone, and tells a person. */
async function judge(
  { ledger, env, config, append, log, isShared }: Parts,
  signal: AbortSignal,
): Promise<void> {
  const judging = createJudge({ ledger, append, host: hostname(), looks: !isShared })
  const command = config.live.notify_command
  const notifier =
    command === null
      ? undefined
      : createNotifier({
          ledger,
          command,
          env,
          failed: (reason) => log.warn({ reason }, 'live.notify_command failed'),
        })
  await aborted(signal)
  await Promise.all([judging.stop(), notifier?.stop()])
}

/** Runs of conversations that a hub left when it was killed get their end. One that is only cut off for a moment comes back before. */
async function endLeft({ ledger, append, log }: Parts, signal: AbortSignal): Promise<void> {
  const onEnded = pastTeller({ host: hostname(), append })
  let seen = new Set<string>()
  while (!signal.aborted) {
    const unended = await ledger.conversations.unended({ others: true })
    const left = new Set(unended.ok ? unended.value.map(({ conversation }) => conversation) : [])
    const twice = new Set([...left].filter((id) => seen.has(id)))
    if (twice.size > 0) {
      const ended = await endUnended(ledger.conversations, {
        only: (id) => twice.has(id),
        others: true,
        onEnded,
      })
      if (!ended.ok) log.warn({ code: ended.code }, `conversations: ${ended.message}`)
    }
    seen = left
    await pause(UNENDED_MS, signal)
  }
}
