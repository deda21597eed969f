import type { Achieved, Forgotten } from '@panoptes/engine/ledger'
import { openSources } from '@panoptes/engine/sources'
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
import { readCheckpoint } from './checkpoint.ts'
import { CheckpointKeeper } from './checkpoint-keeper.ts'
import { rowOf } from './kept.ts'
import type { Aggregate } from './metrics.ts'
import { scannerOnDemand } from './scanner.ts'
import { ScopeScans } from './scope-scans.ts'
import { checkpointFile, ownScope, specsOf, type View, viewKey } from './view.ts'
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

const TTL_SECONDS = 120
const WAIT_MS = 30_000
/** After a change: so long it is waited for more of them, and so long until the next look. */
const CALM_MS = 1_000
const AGAIN_MS = 10_000

/** Views that were asked for with a database or a clock of their own. */
const MOST_VIEWS = 64
const OWN_VIEWS: ReadonlySet<string> = new Set(['all', 'hermes'])

export function openAchievements(options: AchievementsOptions): Achievements {
  const env = options.env ?? process.env
  const scanner = scannerOnDemand('achievements', { env: { ...env }, forgotten: options.forgotten })
  const checkpoint = new CheckpointKeeper(scanner, ownScope(env), checkpointFile(options.folder))
  const scans = new ScopeScans({
    scanner,
    achieved: options.achieved,
    older: (scope) =>
      scope === checkpoint.scope
        ? [...readCheckpoint(checkpoint.file)].map(([id, kept]) => rowOf(scope, 'hermes', id, kept))
        : [],
    changed: (scope) => scope === checkpoint.scope && checkpoint.changed(),
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
      scans,
      achieved: options.achieved,
      folder: options.folder,
      env,
      zone: view.zone ?? options.zone,
      ttlSeconds: options.ttlSeconds ?? TTL_SECONDS,
      waitMs: options.waitMs ?? WAIT_MS,
      unlocked: (items) => {
        for (const hear of hearers) hear(items, view)
      },
      scanned: () => void checkpoint.ended(),
    })
    if (views.size >= MOST_VIEWS) dropIdle(views)
    views.set(key, made)
    return made
  }
  const stopAll = () => Promise.all([...views.values()].map((view) => view.stop()))
  return {
    get: (view, { wait }) => viewOf(view).get(wait),
    aggregate: (view) => viewOf(view).aggregate(),
    rescan: (view, { full }) => viewOf(view).rescan(full),
    settled: (view) => viewOf(view).settled(),
    status: (view) => viewOf(view).status(),
    recent: (view) => viewOf(view).recent(),
    badges: async (session, view) => {
      const scopes = (await specsOf(view, env)).map(({ scope }) => scope)
      const failed = await viewOf(view).known()
      if (failed) return failed
      const badges = await scanner.call('badges', [scopes, session, view.zone ?? options.zone])
      if (!badges.ok) return badges
      return badges.value === null
        ? failure('not_found', `Nothing is counted of the session ${session} yet.`)
        : success({ session_id: session, badges: [...badges.value] })
    },
    reset: (view) =>
      scans.alone(stopAll, async () => {
        const specs = await specsOf(view, env)
        if (specs.some(({ scope }) => scope === checkpoint.scope)) await checkpoint.drop()
        const reset = await viewOf(view).reset()
        // The same sessions by other clocks begin anew with it.
        for (const key of views.keys()) if (key.startsWith(`${viewKey(view)}\n`)) views.delete(key)
        return reset
      }),
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
      for (const view of kept) {
        const forgot = await view.forget(sessions)
        if (!forgot.ok) return forgot
        changed += forgot.value
      }
      await checkpoint.rewrite()
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
        const view = viewOf({ source: 'all' })
        // A scan that runs already may have passed what changed.
        if (view.isRunning()) return changed()
        last = Date.now()
        view.rescan(false)
      }
      const changed = () => {
        timer ??= setTimeout(look, Math.max(CALM_MS, last + AGAIN_MS - Date.now())).unref()
      }
      for (const source of openSources(env)) watches.push(source.watch(changed))
      watches.push(() => clearTimeout(timer))
    },
    close: async () => {
      for (const unwatch of watches) unwatch()
      await stopAll()
      await checkpoint.flush()
      await scanner.end()
    },
  }
}

function dropIdle(views: Map<string, ViewOfSessions>): void {
  for (const [key, view] of views) if (!OWN_VIEWS.has(key) && !view.isRunning()) views.delete(key)
}
