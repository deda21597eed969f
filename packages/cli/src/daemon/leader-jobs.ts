import { hostname } from 'node:os'
import { pause, waitForAbort } from '@panoptes/engine/abortable'
import { createPastRunReporter, recoverRuns } from '@panoptes/engine/chat'
import { createJudge, createNotifier } from '@panoptes/engine/live'
import type { EventStore, StoreJob } from '@panoptes/engine/store'
import type { Config, NewEvent, Result } from '@panoptes/schema'
import type { Logger } from 'pino'
import { type Forget, finishForgetting } from './forgetting.ts'
import { keepWithinLimits, type Unsent } from './retention.ts'
import type { OpenedRooms } from './rooms.ts'

interface Parts {
  readonly store: EventStore
  /** The environment variables for the command that a user configured. */
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  readonly rooms: Pick<OpenedRooms, 'sessions' | 'achievements' | 'review'>
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly forget: Forget | undefined
  /** Forwarding, because retention must not drop events that still have to be sent. */
  readonly forward?: Unsent | undefined
  readonly log: Logger
  /** Whether the events are invented, so that agents get no judgement about stuck or lost states. */
  readonly isMadeUp: boolean
  /** Whether other processes have the store open too. */
  readonly isShared: boolean
}

const UNENDED_MS = 10_000

/**
 * Runs the jobs that only one process at a time may do for a store: indexing, achievements, outcomes, live
 * judgement and retention. Among several hubs, each job has one leader, and another hub takes over when the
 * leader is gone.
 */
export function startLeading(parts: Parts): { readonly stop: () => Promise<void> } {
  const { store, config, rooms, log } = parts
  const { sessions, achievements, review } = rooms
  const end = new AbortController()
  const lead = (job: StoreJob, work: (signal: AbortSignal) => Promise<void>) =>
    store.lead(job, work, end.signal)
  const jobs: Promise<void>[] = []
  jobs.push(
    // Achievements and outcomes take what is made of sessions when they are read, so one process does it all.
    lead('index', async (signal) => {
      const unfollow = [sessions?.follow(), achievements?.follow(), review?.follow()]
      const read = await sessions?.refresh(signal)
      if (read?.ok === false && !signal.aborted) log.warn({ code: read.code }, `sessions: ${read.message}`)
      await waitForAbort(signal)
      for (const end of unfollow) end?.()
    }),
  )
  jobs.push(
    lead('limits', async (signal) => {
      if (parts.forget) await finishForgetting(store, parts.forget, log)
      await cleanStored(store, log, signal)
      const files = achievements?.redactStored() ?? 0
      if (files > 0) log.info({ files }, 'removed secrets from achievement files')
      await keepWithinLimits(store, config, log, signal, parts.forward)
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

const PROGRESS_MS = 10_000

/**
 * Redacts events that an older version stored, once, with the current rules. An interrupted run continues at
 * the next start.
 */
async function cleanStored(store: EventStore, log: Logger, signal: AbortSignal): Promise<void> {
  let logged = 0
  const cleaned = await store.redactStored({
    signal,
    onProgress: (done, total) => {
      const now = performance.now()
      if (logged > 0 && now - logged < PROGRESS_MS) return
      logged = now
      log.info({ done, total }, 'looking for secrets in stored events')
    },
  })
  if (cleaned.ok && cleaned.value > 0) log.info({ rows: cleaned.value }, 'removed secrets from stored rows')
  if (!cleaned.ok && !signal.aborted)
    log.warn(
      { code: cleaned.code },
      `secrets in stored events: ${cleaned.message} Panoptes retries at the next start.`,
    )
}

/** Reports agents that are stuck or lost, and notifies the user. */
async function judge(
  { store, env, config, append, log, isShared }: Parts,
  signal: AbortSignal,
): Promise<void> {
  const judging = createJudge({ store, append, host: hostname(), looks: !isShared })
  const command = config.live.notify_command
  const notifier =
    command === null
      ? undefined
      : createNotifier({
          store,
          command,
          env,
          failed: (reason) => log.warn({ reason }, 'live.notify_command failed'),
        })
  await waitForAbort(signal)
  await Promise.all([judging.stop(), notifier?.stop()])
}

/**
 * Ends conversation runs of a hub that was killed. A hub that only lost its connection for a moment returns
 * before that.
 */
async function endLeft({ store: ledger, append, log }: Parts, signal: AbortSignal): Promise<void> {
  const onEnded = createPastRunReporter({ host: hostname(), append })
  let seen = new Set<string>()
  while (!signal.aborted) {
    const unended = await ledger.conversations.unended({ others: true })
    const left = new Set(unended.ok ? unended.value.map(({ conversation }) => conversation) : [])
    const twice = new Set([...left].filter((id) => seen.has(id)))
    if (twice.size > 0) {
      const ended = await recoverRuns(ledger.conversations, {
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
