import type { Achieved, Forgotten } from '@panoptes/engine/ledger'
import { openSources } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/threads'
import type {
  AchievementItem,
  AchievementsReply,
  RescanReply,
  Result,
  ScanStatus,
  SessionBadgesReply,
  SessionRef,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { ScannerCalls, WorkerSetup } from './calls.ts'
import type { Aggregate } from './metrics.ts'
import { specsOf, type View, viewKey } from './view.ts'
import { ViewOfSessions } from './view-of-sessions.ts'

export interface AchievementsOptions {
  readonly achieved: Achieved
  readonly forgotten: Forgotten
  /** Where files for other programs go. */
  readonly folder: string
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** By whose clock a weekend and a night are told. */
  readonly zone: string
  /** A snapshot that is older is stale. */
  readonly ttlSeconds?: number | undefined
  /** So long somebody waits for the first scan. */
  readonly waitMs?: number | undefined
}

export interface Achievements {
  /** The newest snapshot. Where there is none, the one scan is waited for, or not. */
  readonly get: (view: View, options: { readonly wait: boolean }) => Promise<Result<AchievementsReply>>
  /** The metrics behind the newest finished snapshot. */
  readonly aggregate: (view: View) => Promise<Result<Aggregate>>
  readonly rescan: (view: View, options: { readonly full: boolean }) => RescanReply
  /** Waits for a scan that is under way. */
  readonly settled: (view: View) => Promise<Result<unknown>>
  readonly status: (view: View) => ScanStatus
  readonly recent: (view: View) => readonly AchievementItem[]
  readonly badges: (session: string, view: View) => Promise<Result<SessionBadgesReply>>
  readonly reset: (view: View) => Promise<Result<number>>
  /** Takes the names of sessions out; the numbers stay. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
  readonly onUnlocked: (hear: (items: readonly AchievementItem[], view: View) => void) => () => void
  /** From here on changes are seen by themselves. */
  readonly follow: () => void
  readonly close: () => Promise<void>
}

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './achievements-worker.js',
  import.meta.url,
)

const TTL_SECONDS = 120
const WAIT_MS = 30_000
/** After a change: so long it is waited for more of them, and so long until the next look. */
const CALM_MS = 1_000
const AGAIN_MS = 10_000

export type Scanner = Thread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>

export function openAchievements(options: AchievementsOptions): Achievements {
  const env = options.env ?? process.env
  const data: WorkerSetup = { env: { ...env }, forgotten: options.forgotten }
  const scanner: Scanner = new Thread({
    script: SCRIPT,
    name: 'achievements',
    data,
    what: 'Counting for achievements',
  })
  const hearers = new Set<(items: readonly AchievementItem[], view: View) => void>()
  const views = new Map<string, ViewOfSessions>()
  const watches: (() => void)[] = []
  const viewOf = (asked: View): ViewOfSessions => {
    const view = asked.zone === options.zone ? { ...asked, zone: undefined } : asked
    const key = viewKey(view)
    const known = views.get(key)
    if (known) return known
    const made = new ViewOfSessions({
      view,
      scanner,
      achieved: options.achieved,
      folder: options.folder,
      env,
      zone: view.zone ?? options.zone,
      ttlSeconds: options.ttlSeconds ?? TTL_SECONDS,
      waitMs: options.waitMs ?? WAIT_MS,
      unlocked: (items) => {
        for (const hear of hearers) hear(items, view)
      },
    })
    views.set(key, made)
    return made
  }
  return {
    get: (view, { wait }) => viewOf(view).get(wait),
    aggregate: (view) => viewOf(view).aggregate(),
    rescan: (view, { full }) => viewOf(view).rescan(full),
    settled: (view) => viewOf(view).settled(),
    status: (view) => viewOf(view).status(),
    recent: (view) => viewOf(view).recent(),
    badges: async (session, view) => {
      const scopes = (await specsOf(view, env)).map(({ scope }) => scope)
      await viewOf(view).known()
      const badges = await scanner.call('badges', [scopes, session, view.zone ?? options.zone])
      if (!badges.ok) return badges
      return badges.value === null
        ? failure('not_found', `Nothing is counted of the session ${session} yet.`)
        : success({ session_id: session, badges: [...badges.value] })
    },
    reset: async (view) => {
      const reset = await viewOf(view).reset()
      // The same sessions by other clocks begin anew with it.
      for (const key of views.keys()) if (key.startsWith(`${viewKey(view)}\n`)) views.delete(key)
      return reset
    },
    forget: async (sessions) => {
      for (const source of ['all', 'hermes'] as const) viewOf({ source })
      const kept = [...views.values()].filter((view) => view.isKept())
      // The files are written anew from what is known, so all of it has to be.
      for (const view of kept) {
        const failed = await view.known()
        if (failed) return failed
      }
      const done = await scanner.call('forget', [sessions])
      if (!done.ok) return done
      let changed = 0
      for (const view of kept) changed += await view.forget(sessions)
      return success(changed)
    },
    onUnlocked: (hear) => {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
    follow: () => {
      let timer: NodeJS.Timeout | undefined
      let last = 0
      const look = () => {
        timer = undefined
        last = Date.now()
        void viewOf({ source: 'all' }).rescan(false)
      }
      const changed = () => {
        timer ??= setTimeout(look, Math.max(CALM_MS, last + AGAIN_MS - Date.now())).unref()
      }
      for (const source of openSources(env)) watches.push(source.watch(changed))
      watches.push(() => clearTimeout(timer))
    },
    close: async () => {
      for (const unwatch of watches) unwatch()
      await scanner.call('close', [])
      await scanner.end()
    },
  }
}
