import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { redactRow } from '@panoptes/engine/redact'
import type { ReadSessions } from '@panoptes/engine/sources'
import {
  type AchievementStore,
  type Forgotten,
  ForgottenSessions,
  type StoreLocation,
} from '@panoptes/engine/store'
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
import { readJson, writeJson } from './files.ts'
import type { Aggregate } from './metrics.ts'
import { sinceNote } from './origin.ts'
import { createScanner } from './scanner.ts'
import { ScopeScans } from './scope-scans.ts'
import { ViewOfSessions } from './sessions-view.ts'
import { toRow } from './stored-contribution.ts'
import {
  checkpointFile,
  hermesScope,
  historySpecs,
  isInside,
  type NamedView,
  namedView,
  ownDatabase,
  type View,
} from './view.ts'

export interface AchievementsOptions {
  readonly achievementStore: AchievementStore
  readonly forgotten: Forgotten
  /** The folder of files for other programs; undefined for another home of Hermes. */
  readonly folder: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The location of the event store. A shared one also stores everyone's sessions. */
  readonly place?: StoreLocation | undefined
  /** The file with what was counted when sessions were read; a shared event store has it as well. */
  readonly history?: string | undefined
  /** Reads the sessions of every agent but Hermes. */
  readonly sessions: ReadSessions
  /** Time zone for weekends and nights. */
  readonly zone: string
  /** The home of Hermes, if it differs from the one the event store started with. */
  readonly otherHome?: string | undefined
  /** Since when reset views count. */
  readonly since?: ReadonlyMap<string, string> | undefined
  /** An older snapshot is stale. */
  readonly ttlSeconds?: number | undefined
  /** How long a caller waits for the first scan. */
  readonly waitMs?: number | undefined
}

export interface Achievements {
  /**
   * Returns the newest snapshot. If there is none, waits for the shared scan or returns at once.
   */
  readonly get: (
    view: View,
    options: { readonly wait: boolean; readonly aggregate?: boolean | undefined },
  ) => Promise<Result<AchievementsReply>>
  /** The metrics behind the newest finished snapshot. */
  readonly aggregate: (view: View) => Promise<Result<Aggregate>>
  readonly rescan: (view: View, options: { readonly full: boolean }) => RescanReply
  /** Waits for the active scan. */
  readonly settled: (view: View) => Promise<Result<unknown>>
  readonly status: (view: View) => ScanStatus
  readonly recent: (view: View) => Promise<Result<readonly AchievementItem[]>>
  readonly badges: (session: string, view: View) => Promise<Result<SessionBadgesReply>>
  readonly reset: (view: View) => Promise<Result<number>>
  /** Removes the identity of these sessions; the numbers stay. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
  /** Redacts the files of an older version and returns how many changed. */
  readonly redactStored: () => number
  readonly onUnlocked: (hear: (items: readonly AchievementItem[], view: View) => void) => () => void
  /** Starts watching for changes; returns the function that stops it. */
  readonly follow: () => () => void
  readonly close: () => Promise<void>
}

const TTL_SECONDS = 120
const WAIT_MS = 30_000
/** How long to wait for further changes, and for the next check. */
const CALM_MS = 1_000
const AGAIN_MS = 10_000

/** The maximum number of views with a custom database or time zone. */
const MOST_VIEWS = 64

export function openAchievements(options: AchievementsOptions): Achievements {
  const env = options.env ?? process.env
  const forgotten = new ForgottenSessions(options.forgotten)
  const scanner = createScanner(
    () => ({
      place: options.place,
      history: options.history,
      forgotten: forgotten.all(),
    }),
    () => scans.knowNothing(),
  )
  const isStored = options.place?.kind === 'postgres'
  // A hub does not belong to one home of Hermes, and no other program reads its files.
  const { folder, otherHome } = isStored ? { folder: undefined, otherHome: undefined } : options
  const naming = { zone: zoneName(options.zone), otherHome, isStored }
  const since = new Map(options.since)
  const findSince = (sessions: string) => since.get(sessions)
  const own = { all: namedView({ source: 'all' }, naming), hermes: namedView({ source: 'hermes' }, naming) }
  const database = ownDatabase(env)
  const ownScope = () => hermesScope(own.hermes, database, findSince)
  const file = folder === undefined ? undefined : checkpointFile(folder)
  const checkpoint = new CheckpointKeeper(scanner, { scope: ownScope(), database, file })
  const scans = new ScopeScans({
    scanner,
    achievementStore: options.achievementStore,
    older: (scope) =>
      scope === checkpoint.scope && file !== undefined
        ? [...readCheckpoint(file, database)].map(([id, record]) => toRow(scope, 'hermes', id, record))
        : [],
    changed: (scope) => scope === checkpoint.scope && checkpoint.changed(),
  })
  const hearers = new Set<(items: readonly AchievementItem[], view: View) => void>()
  const views = new Map<string, ViewOfSessions>()
  const watches: (() => void)[] = []
  const openView = (requested: View): ViewOfSessions => {
    const view = namedView(requested, naming)
    const { key } = view
    const existing = views.get(key)
    if (existing) return existing
    const made = new ViewOfSessions({
      view,
      scanner,
      scans,
      sessions: options.sessions,
      achievementStore: options.achievementStore,
      folder,
      findSince,
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
  /**
   * The view of Hermes is updated together with the one of all agents, because its sessions were
   * just read.
   */
  const follows = (began: number) => {
    const hermes = openView(own.hermes)
    if ((isStored || existsSync(database)) && !hermes.isRunning() && !hermes.isSince(began)) hermes.recount()
  }
  const dropIdle = () => {
    const ours = new Set([own.all.key, own.hermes.key])
    for (const [key, view] of views)
      if (!ours.has(key) && !view.isRunning()) {
        views.delete(key)
        dropped(view.view)
      }
  }
  /** A database that is no longer requested does not stay in memory. */
  const dropped = (view: NamedView) => {
    const { hermesDb: path } = view
    if (path === undefined || isInside(path, dirname(database))) return
    const scope = hermesScope(view, path, findSince)
    const others = [...views.values()].filter(({ view: other }) => other.hermesDb === path)
    if (!others.some(({ view: other }) => hermesScope(other, path, findSince) === scope))
      void scans.unload(scope)
  }
  /**
   * From here on, the view counts the current sessions for itself; the counts of other views are
   * unaffected.
   */
  const beginAnew = async (view: NamedView): Promise<Failure | undefined> => {
    const former = since.has(view.sessions) ? await historySpecs(view, env, findSince) : []
    const at = String(Date.now())
    const noted = await options.achievementStore.note(sinceNote(view.sessions), at)
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
    get: (view, query) => openView(view).get(query),
    aggregate: (view) => openView(view).aggregate(),
    rescan: (view, { full }) => openView(view).rescan(full),
    settled: (view) => openView(view).settled(),
    status: (view) => openView(view).status(),
    recent: (view) => openView(view).recent(),
    badges: async (session, view) => {
      const named = namedView(view, naming)
      const scopes = (await historySpecs(named, env, findSince)).map(({ scope }) => scope)
      const failed = await openView(view).loadContributions()
      if (failed) return failed
      const badges = await scanner.call('badges', [scopes, session, named.zone ?? naming.zone])
      if (!badges.ok) return badges
      return badges.value === null
        ? failure('not_found', `The session ${session} is not counted yet.`)
        : success({ session_id: session, badges: [...badges.value] })
    },
    reset: (requested) =>
      scans.alone(stopAll, async () => {
        const view = namedView(requested, naming)
        // In another time zone the same sessions count, so only its unlocks are removed.
        if (view.zone !== undefined) return openView(view).reset()
        const failed = await beginAnew(view)
        if (failed) return failed
        if (view.key === own.hermes.key) await checkpoint.drop(ownScope())
        // Views of the same sessions in other time zones start over with it.
        for (const key of views.keys()) if (key.startsWith(`${view.key}\n`)) views.delete(key)
        return openView(view).reset()
      }),
    forget: async (sessions) => {
      for (const session of sessions) forgotten.add(session)
      for (const view of [own.all, own.hermes]) openView(view)
      const stored = [...views.values()].filter((view) => view.hasStoredData())
      // Rewriting the files requires all contributions.
      for (const view of stored) {
        const failed = await view.loadContributions()
        if (failed) return failed
      }
      const done = await scanner.call('forget', [sessions])
      if (!done.ok) return done
      let changed = 0
      for (const view of stored) {
        const forgot = await view.forget(sessions)
        if (!forgot.ok) return forgot
        changed += forgot.value
      }
      await checkpoint.rewrite()
      return success(changed)
    },
    redactStored: () => (folder === undefined ? 0 : redactFiles(folder)),
    onUnlocked: (hear) => {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
    follow: () => {
      let timer: NodeJS.Timeout | undefined
      let last = 0
      const look = () => {
        timer = undefined
        const view = openView(own.all)
        // A running scan may already have passed what changed.
        if (view.isRunning()) return changed()
        last = Date.now()
        view.recount()
      }
      const changed = () => {
        timer ??= setTimeout(look, Math.max(CALM_MS, last + AGAIN_MS - Date.now())).unref()
      }
      watches.push(options.sessions.onRead(changed))
      watches.push(() => clearTimeout(timer))
      // A process that was killed may have read sessions that it did not count.
      changed()
      return () => {
        for (const unwatch of watches.splice(0)) unwatch()
      }
    },
    close: async () => {
      for (const unwatch of watches) unwatch()
      // What was just counted is also written for Hermes.
      if (!views.get(own.all.key)?.isRunning()) await views.get(own.hermes.key)?.settled()
      await Promise.all([...views.values()].map((view) => view.close()))
      await checkpoint.flush()
      await scanner.close()
    },
  }
}

const FILES = ['scan_snapshot_all.json', 'scan_snapshot.json', 'scan_checkpoint.json', 'state.json']
const IDS: ReadonlySet<string> = new Set(['id', 'session_id', 'fingerprint'])

/**
 * Redacts the files that an older version wrote and returns how many changed. Other files are not
 * written.
 */
export function redactFiles(folder: string): number {
  return FILES.filter((name) => {
    const file = join(folder, name)
    const stored = readJson(file)
    const clean = redactRow(stored, IDS)
    return clean !== stored && writeJson(file, clean) === undefined
  }).length
}
