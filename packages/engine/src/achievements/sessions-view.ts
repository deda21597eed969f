import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { hermesHome } from '@panoptes/engine/sources'
import type {
  AchievementItem,
  AchievementsReply,
  Failure,
  RescanReply,
  Result,
  ScanStatus,
  SessionRef,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Evaluated } from './calls.ts'
import { type Ended, type Scan, ScanCoordinator } from './coordinator.ts'
import { namesOne, unnamed } from './evidence-links.ts'
import { unreadable } from './file-readability.ts'
import { latestUnlocks } from './latest-unlocks.ts'
import type { Aggregate } from './metrics.ts'
import { PartialResults } from './partial-results.ts'
import { toReply } from './reply.ts'
import type { ScanTotals } from './scan-history.ts'
import { metaOf, withKnown } from './scan-meta.ts'
import { buildSnapshot, isPart, nothingYet, withError } from './snapshot.ts'
import { type Snapshot, SnapshotStore } from './snapshot-store.ts'
import { atMost } from './timeout.ts'
import { UnlockBook } from './unlock-book.ts'
import { historySpecs, type NamedView, viewFiles } from './view.ts'
import type { ViewQuery, ViewSetup } from './view-setup.ts'

const MOST_RECENT = 20
/** How long after a failed scan a reader may start another one. */
const AGAIN_MS = 10_000

const SECOND_MS = 1_000

/** One view of the sessions: its snapshot, scans and unlocks. */
export class ViewOfSessions {
  readonly view: NamedView
  readonly #setup: ViewSetup
  readonly #store: SnapshotStore
  readonly #coordinator: ScanCoordinator
  readonly #files: ReturnType<typeof viewFiles>
  readonly #book: UnlockBook
  readonly #partial = new PartialResults()
  /** Sessions that must not appear again, even in an evaluation that started earlier. */
  readonly #forgotten = new Set<string>()
  #endedAt = 0
  #closed = false
  /** The next scan counts sessions as they were read. */
  #isRecount = false

  constructor(setup: ViewSetup) {
    this.view = setup.view
    this.#setup = setup
    this.#files = viewFiles(setup.view, setup.folder)
    const home = resolve(hermesHome(setup.env))
    this.#store = new SnapshotStore(this.#files?.snapshot, Date.now, home)
    // Another time zone has other nights.
    if (this.#store.get()?.time_zone !== setup.zone) this.#store.clear()
    const since = () => setup.findSince(setup.view.sessions)
    this.#book = new UnlockBook({ ...setup, file: this.#files?.state, since })
    this.#coordinator = new ScanCoordinator(
      (scan) => this.#scan(scan),
      // Without this delay a failure would never be seen, because each reader would start the next
      // scan.
      () => (this.#isOff() ? Date.now() > this.#endedAt + AGAIN_MS : this.#store.isStale(setup.ttlSeconds)),
    )
  }

  async get({ wait, aggregate = false }: ViewQuery): Promise<Result<AchievementsReply>> {
    const end = performance.now() + this.#setup.waitMs
    let waited = false
    for (;;) {
      const isAwaited = wait && this.#store.get() === undefined
      const run = this.#closed ? undefined : this.#coordinator.runIfNeeded(isAwaited)
      if (!wait || !run || this.#store.get()) break
      await atMost(run, end - performance.now())
      waited = true
      // A run that was stopped, as by a reset, has no result, so the next one is awaited.
      if (this.isRunning() || this.#coordinator.failure() || performance.now() >= end) break
    }
    const failed = this.#coordinator.failure()
    const isOver = failed && !this.#store.get() && !this.isRunning()
    return isOver ? failed : success(this.#reply(waited, aggregate))
  }

  rescan(full: boolean): RescanReply {
    const run_id = this.#coordinator.request(full)
    return { ok: true, run_id, status: this.status() }
  }

  /** Counts what was just read. Reading changes again would tell the caller of each change once more. */
  recount(): void {
    if (this.isRunning()) return
    this.#isRecount = true
    this.#coordinator.request(false)
    this.#isRecount = false
  }

  /** Waits for the active scan. */
  async settled(): Promise<Result<unknown>> {
    return (await this.#coordinator.settled()) ?? success(null)
  }

  isRunning(): boolean {
    return this.#coordinator.getStatus().state === 'running'
  }

  async stop(): Promise<void> {
    await this.#coordinator.stop()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.stop()
  }

  /**
   * True if the snapshot was counted after this time; within the same millisecond the order is
   * unknown.
   */
  isSince(ms: number): boolean {
    return (this.#store.get()?.generated_at ?? 0) * SECOND_MS > ms
  }

  async aggregate(): Promise<Result<Aggregate>> {
    const stored = this.#store.get()?.aggregate
    if (stored) return success(stored as Aggregate)
    const done = await this.#coordinator.runIfNeeded(true)
    const counted = this.#store.get()?.aggregate
    if (counted) return success(counted as Aggregate)
    if (done && !done.ok && !this.#store.get()) return done
    const failed = await this.loadContributions()
    if (failed) return failed
    const evaluated = await this.#evaluate()
    return evaluated.ok ? success(evaluated.value.aggregate) : evaluated
  }

  status(): ScanStatus {
    return {
      ...this.#coordinator.getStatus(),
      ttl_seconds: this.#setup.ttlSeconds,
      snapshot_generated_at: this.#store.get()?.generated_at ?? null,
      snapshot_age_seconds: this.#store.ageSeconds() ?? null,
      snapshot_stale: this.#store.isStale(this.#setup.ttlSeconds),
    }
  }

  /** Returns the newest unlocks first, including stored ones if nothing was counted yet. */
  async recent(): Promise<Result<readonly AchievementItem[]>> {
    const found = this.#store.get()
    if (found) return success(latestUnlocks(found.achievements, MOST_RECENT))
    const failed = (await this.#book.load()) ?? (await this.loadContributions())
    if (failed) return failed
    if (this.#book.rows().length === 0) return success([])
    const evaluated = await this.#evaluate()
    return evaluated.ok ? success(latestUnlocks(evaluated.value.items, MOST_RECENT)) : evaluated
  }

  /** Removes all unlocks. No scan may run meanwhile. */
  async reset(): Promise<Result<number>> {
    const locked = await this.#book.reset()
    if (!locked.ok) return locked
    this.#coordinator.forgive()
    this.#store.clear()
    for (const file of this.#written()) rmSync(file, { force: true })
    return this.#book.write() ?? locked
  }

  /** True if any of it is in a file or in memory. */
  hasStoredData(): boolean {
    return this.#store.get() !== undefined || this.#written().some((file) => existsSync(file))
  }

  #written(): readonly string[] {
    return Object.values(this.#files ?? {}).filter((file) => file !== undefined)
  }

  /** Returns how many places named them. */
  async forget(sessions: readonly SessionRef[]): Promise<Result<number>> {
    const failed = await this.#book.load()
    if (failed) return failed
    const ids = new Set(sessions.map(({ id }) => id))
    for (const id of ids) this.#forgotten.add(id)
    const found = this.#store.get()
    const named = found?.achievements.filter((item) => namesOne(item, ids)) ?? []
    this.#book.forget(ids)
    const unwritten = found && named.length > 0 ? this.#show(found) : undefined
    const proven = named.filter(({ evidence }) => evidence && ids.has(evidence.session_id))
    return unwritten ?? this.#book.write() ?? success(proven.length)
  }

  /** Loads the stored contributions into the worker. */
  async loadContributions(): Promise<Failure | undefined> {
    for (const spec of await this.#specs()) {
      const failed = await this.#setup.scans.know(spec)
      if (failed) return failed
    }
    return undefined
  }

  #specs() {
    const { view, env, findSince } = this.#setup
    return historySpecs(view, env, findSince)
  }

  /** The last scan failed, completely or in part. */
  #isOff(): boolean {
    return this.#coordinator.failure() !== undefined || isPart(this.#store.get())
  }

  #reply(waited: boolean, withAggregate: boolean): AchievementsReply {
    const { view, zone, ttlSeconds } = this.#setup
    const mode = waited && this.isRunning() ? 'in_progress' : 'pending'
    const partial = this.#partial.newest()
    const snapshot = this.#store.get() ?? partial ?? nothingYet(view.source, zone, mode)
    return toReply(snapshot, {
      isOld: isPart(this.#store.get()) || (snapshot !== partial && this.#store.isStale(ttlSeconds)),
      error: this.#coordinator.failure()?.message ?? null,
      status: this.status(),
      withAggregate,
    })
  }

  async #scan(scan: Scan): Promise<Result<Ended>> {
    const began = Date.now()
    const isRead = this.#isRecount
    let ended = false
    try {
      const result = await this.#scanned(scan, began, isRead)
      ended = result.ok
      return result
    } finally {
      this.#partial.end()
      this.#endedAt = Date.now()
      this.#setup.scanned(began, ended)
    }
  }

  async #scanned({ full, progress, signal }: Scan, began: number, isRead: boolean): Promise<Result<Ended>> {
    const { view, zone, scans, sessions } = this.#setup
    if (view.isStored && view.hermesDb !== undefined)
      return failure('invalid', 'A hub counts only the sessions it stores. Remove the database option.')
    // A missing home of Hermes has no sessions, but a file named by the user must exist.
    const unread = view.hermesDb === undefined ? undefined : unreadable(view.hermesDb)
    if (unread) return unread
    // A reset changes where sessions are counted; a later one stops this scan.
    await scans.free(signal)
    const specs = await this.#specs()
    const failed = await this.#book.load()
    if (failed) return failed
    if (!this.#store.get())
      this.#partial.begin(async (meta) => {
        const evaluated = await this.#evaluate()
        if (!evaluated.ok) return undefined
        const counted = withKnown(meta, evaluated.value)
        return this.#without(buildSnapshot(view.source, zone, evaluated.value, counted))
      }, began)
    const hear = this.#partial.sum(progress)
    const isUnread = !isRead && specs.some(({ kind }) => kind === 'source')
    const read = isUnread
      ? sessions.refresh(signal, (done, total) => hear('sessions', done, total))
      : Promise.resolve(success(null))
    const results = await Promise.all(
      specs.map(async (spec) => {
        const done = spec.kind === 'source' ? await read : success(null)
        if (!done.ok) return done
        return scans.scan(spec, full, (done, total) => hear(spec.scope, done, total), signal)
      }),
    )
    const failures = results.filter((result) => !result.ok)
    const [first] = failures
    if (signal.aborted) return first ?? failure('stopped', 'Stopped. Progress so far is saved.')
    if (first && failures.length === specs.length) return first
    const totals = results.flatMap((result) => (result.ok ? [result.value] : []))
    return this.#finish(began, totals, first?.message ?? null)
  }

  async #finish(
    began: number,
    totals: readonly ScanTotals[],
    problem: string | null,
  ): Promise<Result<Ended>> {
    // Without them the count would be incomplete.
    const unknown = await this.loadContributions()
    if (unknown) return unknown
    const evaluated = await this.#evaluate()
    if (!evaluated.ok) return evaluated
    const { items, unlocked } = evaluated.value
    const unkept = await this.#book.add(unlocked)
    if (unkept) return unkept
    this.#book.forget(this.#forgotten)
    // Unlocks found by the first scan are not news.
    const isFirst = this.#store.get() === undefined
    const { view, zone } = this.#setup
    const meta = metaOf(totals, evaluated.value, Date.now() - began, problem)
    const snapshot = buildSnapshot(view.source, zone, evaluated.value, meta)
    const unwritten = this.#show(snapshot) ?? this.#book.write()
    if (unwritten) this.#store.note(withError(snapshot, unwritten.message))
    const names = new Set(unlocked.map(({ id }) => id))
    if (!isFirst && names.size > 0) this.#setup.unlocked(items.filter(({ id }) => names.has(id)))
    return success({ problem })
  }

  async #evaluate(): Promise<Result<Evaluated>> {
    const { view, zone, scanner } = this.#setup
    const scopes = (await this.#specs()).map(({ scope }) => scope)
    return scanner.call('evaluate', [
      { scopes, zone, view: view.key, unlocks: this.#book.rows(), isHermes: view.source === 'hermes' },
    ])
  }

  #show(snapshot: Snapshot): Failure | undefined {
    return this.#store.set(this.#without(snapshot))
  }

  #without(snapshot: Snapshot): Snapshot {
    if (this.#forgotten.size === 0) return snapshot
    const achievements = snapshot.achievements.map((item) => unnamed(item, this.#forgotten))
    return { ...snapshot, achievements }
  }
}
