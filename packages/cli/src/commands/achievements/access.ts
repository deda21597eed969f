import { pause } from '@panoptes/engine/abortable'
import type { Achievements, View } from '@panoptes/engine/achievements'
import type { AchievementsReply, AchievementsView, RescanReply, ScanStatus } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { bringSessions } from '../../daemon/bring-sessions.ts'
import { type Client, connect, stopped } from '../../daemon/client.ts'
import { achievementsOf } from '../../daemon/follow-achievements.ts'
import { openReadSessions } from '../../daemon/follow-sessions.ts'
import { placeOf } from '../../daemon/place.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { sendJson } from '../../json-requests.ts'
import { startProgress } from '../../terminal/progress.ts'
import { checkLayout, loadConfig } from '../config.ts'

/** Selects the sessions that count and the time zone. */
export interface AchievementsQuery {
  readonly source: AchievementsView
  readonly hermesDb: string | undefined
  readonly tz: string | undefined
}

export interface CountOptions {
  readonly full: boolean
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** The result of a count, with the metrics behind it. */
export type CountResult = AchievementsReply & { readonly aggregate: Readonly<Record<string, number>> }

/** Access to achievements: through the running daemon, or counted in this process if none is running. */
export interface AchievementsAccess {
  readonly count: (wanted: AchievementsQuery, counting: CountOptions) => Promise<CountResult>
  /** Resolves to the number of deleted unlocks. */
  readonly reset: (wanted: AchievementsQuery) => Promise<number>
}

export async function withAchievements<T>(
  context: Context,
  work: (achievements: AchievementsAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(openHttpClient(client)) : withLocalClient(context, work)
}

/** Reads changed sessions and reports progress. Ctrl-C stops it without losing progress. */
export async function countAchievements(
  context: Context,
  wanted: AchievementsQuery,
  { full = false }: { readonly full?: boolean | undefined } = {},
): Promise<CountResult> {
  const { output } = context
  const progress = startProgress(output, 'Sessions')
  const { signal, done } = interruptible()
  try {
    const counted = await withAchievements(context, ({ count }) =>
      count(wanted, { full, onProgress: progress.update, signal }),
    )
    progress.end()
    return reportProblems(context, wanted, counted)
  } catch (error) {
    if (signal.aborted) throw stopped('Progress is saved. The next count continues from there.')
    throw error
  } finally {
    progress.end()
    done()
  }
}

/** An outdated count is fine with a note, except for a database that the user named explicitly. */
function reportProblems(
  { output }: Context,
  { hermesDb }: AchievementsQuery,
  counted: CountResult,
): CountResult {
  const { error, scan_meta: meta } = counted
  const problem = error ?? meta.error
  if (problem !== null && hermesDb !== undefined) throw new CommandFailure(problem, { code: 'unreadable' })
  if (error !== null) output.note(`Showing the previous count: ${error}`)
  else if (meta.error !== null) output.note(`Some sessions could not be read: ${meta.error}`)
  if (meta.skipped.length > 0) output.note(formatSkipped(meta.skipped.map(({ reason }) => reason)))
  return counted
}

const formatSkipped = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0
    ? `1 item was skipped: ${first}`
    : `${others.length + 1} items were skipped, the first: ${first}`

const LOOK_MS = 100

/** Reads achievements from the daemon over HTTP. */
function openHttpClient(client: Client): AchievementsAccess {
  const waitForScan = async (
    wanted: AchievementsQuery,
    { onProgress, signal }: CountOptions,
  ): Promise<void> => {
    for (;;) {
      const status = await client.json<ScanStatus>(`/api/scan-status?${viewParams(wanted)}`)
      if (status.state !== 'running') return
      if (status.progress) onProgress(status.progress.done, status.progress.total)
      await pause(LOOK_MS, signal)
      if (signal.aborted) throw stopped()
    }
  }
  return {
    count: async (wanted, counting) => {
      // A count that started earlier does not include sessions written since.
      await waitForScan(wanted, counting)
      await sendJson<RescanReply>(client, 'POST', '/api/rescan', {
        ...viewFields(wanted),
        full: counting.full,
      })
      await waitForScan(wanted, counting)
      return client.json<CountResult>(`/api/achievements?${viewParams(wanted)}&aggregate=1`, {
        signal: counting.signal,
      })
    },
    reset: async (wanted) => {
      const { unlocks_removed: removed } = await sendJson<{ readonly unlocks_removed: number }>(
        client,
        'POST',
        '/api/achievements/reset',
        { ...viewFields(wanted), confirm: 'reset' },
      )
      return removed
    },
  }
}

const viewFields = ({ source, hermesDb, tz }: AchievementsQuery) => ({
  source,
  ...(hermesDb === undefined ? {} : { hermes_db: hermesDb }),
  ...(tz === undefined ? {} : { tz }),
})

const viewParams = (wanted: AchievementsQuery): URLSearchParams => new URLSearchParams(viewFields(wanted))

/** Counts achievements in this process, which has exclusive access to the store. */
async function withLocalClient<T>(
  context: Context,
  work: (achievements: AchievementsAccess) => Promise<T>,
): Promise<T> {
  const { paths, env } = context
  const loaded = await loadConfig(context)
  checkLayout(context, loaded)
  const { config } = loaded
  const place = placeOf(context, config)
  const store = await openStore(context, place)
  try {
    await bringSessions(place, context)
    const home = { paths, env, config, place }
    const sessions = orFail(await openReadSessions(home, store))
    try {
      const achievements = orFail(await achievementsOf(home, store, sessions))
      try {
        return await work(openLocalClient(achievements))
      } finally {
        await achievements.close()
      }
    } finally {
      await sessions.close()
    }
  } finally {
    await store.close()
  }
}

const POLL_MS = 100

const openLocalClient = (achievements: Achievements): AchievementsAccess => ({
  count: async (wanted, counting) => {
    const view = toView(wanted)
    await runScan(achievements, view, counting)
    const reply = orFail(await achievements.get(view, { wait: true }))
    const aggregate = orFail(await achievements.aggregate(view))
    return { ...reply, aggregate }
  },
  reset: async (wanted) => orFail(await achievements.reset(toView(wanted))),
})

const toView = ({ source, hermesDb, tz }: AchievementsQuery): View => ({ source, hermesDb, zone: tz })

async function runScan(
  achievements: Achievements,
  view: View,
  { full, onProgress, signal }: CountOptions,
): Promise<void> {
  achievements.rescan(view, { full })
  const polling = setInterval(() => {
    const { progress } = achievements.status(view)
    if (progress) onProgress(progress.done, progress.total)
  }, POLL_MS)
  const stop = Promise.withResolvers<never>()
  const abort = () => stop.reject(stopped())
  signal.addEventListener('abort', abort)
  try {
    if (signal.aborted) abort()
    await Promise.race([achievements.settled(view), stop.promise])
  } finally {
    clearInterval(polling)
    signal.removeEventListener('abort', abort)
  }
}
