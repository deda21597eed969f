import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Achieved, Forgotten, LedgerPlace } from '@panoptes/engine/ledger'
import { openSources } from '@panoptes/engine/sources'
import type {
  AchievementItem,
  AchievementsReply,
  Failure,
  RescanReply,
  Result,
  ScanStatus,
  SessionBadgesReply,
  SessionRef,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { zoneName } from './calendar.ts'
import { readCheckpoint } from './checkpoint.ts'
import { CheckpointKeeper } from './checkpoint-keeper.ts'
import { rowOf } from './kept.ts'
import type { Aggregate } from './metrics.ts'
import { sinceNote } from './origin.ts'
import { scannerOnDemand } from './scanner.ts'
import { ScopeScans } from './scope-scans.ts'
import {
  checkpointFile,
  hermesScope,
  isInside,
  type NamedView,
  namedView,
  ownDatabase,
  specsOf,
  type View,
} from './view.ts'
import { ViewOfSessions } from './view-of-sessions.ts'

export interface AchievementsOptions {
  readonly achieved: Achieved
  readonly forgotten: Forgotten
  /** Where files for other programs go; nowhere for another home of Hermes. */
  readonly folder: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  /** By whose clock a weekend and a night are told. */
  readonly zone: string
  /** Hermes' home, where it is another one than the ledger was begun with. */
  readonly otherHome?: string | undefined
  /** Since when views count that were reset. */
  readonly since?: ReadonlyMap<string, string> | undefined
  /** A snapshot that is older is stale. */
  readonly ttlSeconds?: number | undefined
  /** So long somebody waits for the first scan. */
  readonly waitMs?: number | undefined
}

export interface Achievements {
  /** The newest snapshot. Where there is none, the one scan is waited for, or not. */
  readonly get: (
    view: View,
    options: { readonly wait: boolean; readonly aggregate?: boolean | undefined },
  ) => Promise<Result<AchievementsReply>>
  /** The metrics behind the newest finished snapshot. */
  readonly aggregate: (view: View) => Promise<Result<Aggregate>>
  readonly rescan: (view: View, options: { readonly full: boolean }) => RescanReply
  /** Waits for a scan that is under way. */
  readonly settled: (view: View) => Promise<Result<unknown>>
  readonly status: (view: View) => ScanStatus
  readonly recent: (view: View) => Promise<Result<readonly AchievementItem[]>>
  readonly badges: (session: string, view: View) => Promise<Result<SessionBadgesReply>>
  readonly reset: (view: View) => Promise<Result<number>>
  /** Takes the names of sessions out; the numbers stay. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
  readonly onUnlocked: (hear: (items: readonly AchievementItem[], view: View) => void) => () => void
  /** From here on changes are seen by themselves, until the answer is called. */
  readonly follow: () => () => void
  readonly close: () => Promise<void>
}

const TTL_SECONDS = 120
const WAIT_MS = 30_000
/** After a change: so long it is waited for more of them, and so long until the next look. */
const CALM_MS = 1_000
const AGAIN_MS = 10_000

/** Views that were asked for with a database or a clock of their own. */
const MOST_VIEWS = 64

export function openAchievements(options: AchievementsOptions): Achievements {
  const env = options.env ?? process.env
  const scanner = scannerOnDemand('achievements', {
    env: { ...env },
    place: options.place,
    forgotten: options.forgotten,
  })
  const isStored = options.place?.kind === 'postgres'
  // On a hub nothing is of one home of Hermes, and no other program looks for files.
  const { folder, otherHome } = isStored ? { folder: undefined, otherHome: undefined } : options
  const naming = { zone: zoneName(options.zone), otherHome, isStored }
  const since = new Map(options.since)
  const sinceOf = (sessions: string) => since.get(sessions)
  const own = { all: namedView({ source: 'all' }, naming), hermes: namedView({ source: 'hermes' }, naming) }
  const database = ownDatabase(env)
  const ownScope = () => hermesScope(own.hermes, database, sinceOf)
  const file = folder === undefined ? undefined : checkpointFile(folder)
  const checkpoint = new CheckpointKeeper(scanner, { scope: ownScope(), database, file })
  const scans = new ScopeScans({
    scanner,
    achieved: options.achieved,
    older: (scope) =>
      scope === checkpoint.scope && file !== undefined
        ? [...readCheckpoint(file, database)].map(([id, kept]) => rowOf(scope, 'hermes', id, kept))
        : [],
    changed: (scope) => scope === checkpoint.scope && checkpoint.changed(),
  })
  const hearers = new Set<(items: readonly AchievementItem[], view: View) => void>()
  const views = new Map<string, ViewOfSessions>()
  const watches: (() => void)[] = []
  const viewOf = (asked: View): ViewOfSessions => {
    const view = namedView(asked, naming)
    const { key } = view
    const known = views.get(key)
    if (known) return known
    const made = new ViewOfSessions({
      view,
      scanner,
      scans,
      achieved: options.achieved,
      folder,
      sinceOf,
      env,
      zone: view.zone ?? naming.zone,
      ttlSeconds: options.ttlSeconds ?? TTL_SECONDS,
      waitMs: options.waitMs ?? WAIT_MS,
      unlocked: (items) => {
        for (const hear of hearers) hear(items, view)
      },
      scanned: (began, ended) => {
        void checkpoint.ended()
        if (ended && key === own.all.key) follows(began)
      },
    })
    if (views.size >= MOST_VIEWS) dropIdle()
    views.set(key, made)
    return made
  }
  /** Hermes' own view is told with all of them: what it counts was just read. */
  const follows = (began: number) => {
    const hermes = viewOf(own.hermes)
    if ((isStored || existsSync(database)) && !hermes.isRunning() && !hermes.isSince(began))
      hermes.rescan(false)
  }
  const dropIdle = () => {
    const ours = new Set([own.all.key, own.hermes.key])
    for (const [key, view] of views)
      if (!ours.has(key) && !view.isRunning()) {
        views.delete(key)
        dropped(view.view)
      }
  }
  /** A database that nobody asks for any more does not stay in memory. */
  const dropped = (view: NamedView) => {
    const { hermesDb: path } = view
    if (path === undefined || isInside(path, dirname(database))) return
    const scope = hermesScope(view, path, sinceOf)
    const others = [...views.values()].filter(({ view: other }) => other.hermesDb === path)
    if (!others.some(({ view: other }) => hermesScope(other, path, sinceOf) === scope))
      void scans.unload(scope)
  }
  /** From here on a view counts for itself what the sources hold now; what the others counted is theirs. */
  const beginAnew = async (view: NamedView): Promise<Failure | undefined> => {
    const former = since.has(view.sessions) ? await specsOf(view, env, sinceOf) : []
    const at = String(Date.now())
    const noted = await options.achieved.note(sinceNote(view.sessions), at)
    if (!noted.ok) return noted
    since.set(view.sessions, at)
    for (const { scope } of former) {
      const failed = await scans.drop(scope)
      if (failed) return failed
    }
    return undefined
  }
  const stopAll = () => Promise.all([...views.values()].map((view) => view.stop()))
  return {
    get: (view, asked) => viewOf(view).get(asked),
    aggregate: (view) => viewOf(view).aggregate(),
    rescan: (view, { full }) => viewOf(view).rescan(full),
    settled: (view) => viewOf(view).settled(),
    status: (view) => viewOf(view).status(),
    recent: (view) => viewOf(view).recent(),
    badges: async (session, view) => {
      const named = namedView(view, naming)
      const scopes = (await specsOf(named, env, sinceOf)).map(({ scope }) => scope)
      const failed = await viewOf(view).known()
      if (failed) return failed
      const badges = await scanner.call('badges', [scopes, session, named.zone ?? naming.zone])
      if (!badges.ok) return badges
      return badges.value === null
        ? failure('not_found', `Nothing is counted of the session ${session} yet.`)
        : success({ session_id: session, badges: [...badges.value] })
    },
    reset: (asked) =>
      scans.alone(stopAll, async () => {
        const view = namedView(asked, naming)
        // By another clock the same sessions count: only what was unlocked by it goes.
        if (view.zone !== undefined) return viewOf(view).reset()
        const failed = await beginAnew(view)
        if (failed) return failed
        if (view.key === own.hermes.key) await checkpoint.drop(ownScope())
        // The same sessions by other clocks begin anew with it.
        for (const key of views.keys()) if (key.startsWith(`${view.key}\n`)) views.delete(key)
        return viewOf(view).reset()
      }),
    forget: async (sessions) => {
      for (const view of [own.all, own.hermes]) viewOf(view)
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
        const view = viewOf(own.all)
        // A scan that runs already may have passed what changed.
        if (view.isRunning()) return changed()
        last = Date.now()
        view.rescan(false)
      }
      const changed = () => {
        timer ??= setTimeout(look, Math.max(CALM_MS, last + AGAIN_MS - Date.now())).unref()
      }
      for (const source of openSources(env, undefined, options.place)) watches.push(source.watch(changed))
      watches.push(() => clearTimeout(timer))
      return () => {
        for (const unwatch of watches.splice(0)) unwatch()
      }
    },
    close: async () => {
      for (const unwatch of watches) unwatch()
      // What was just counted is written down for Hermes too.
      if (!views.get(own.all.key)?.isRunning()) await views.get(own.hermes.key)?.settled()
      await Promise.all([...views.values()].map((view) => view.close()))
      await checkpoint.flush()
      await scanner.end()
    },
  }
}
