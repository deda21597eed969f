import { existsSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Achieved } from '@panoptes/engine/ledger'
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
import { type Scan, ScanCoordinator } from './coordinator.ts'
import type { Aggregate } from './metrics.ts'
import { namesOne, unnamed } from './named.ts'
import { latestOf } from './newest.ts'
import { PartialResults } from './partial-results.ts'
import type { ScanTotals } from './scan-history.ts'
import { metaOf } from './scan-meta.ts'
import type { Scanner } from './scanner.ts'
import type { ScopeScans } from './scope-scans.ts'
import { nothingYet, snapshotOf } from './snapshot.ts'
import { type Snapshot, SnapshotStore } from './snapshot-store.ts'
import { UnlockBook } from './unlock-book.ts'
import { filesOf, specsOf, type View, viewKey } from './view.ts'

interface Setup {
  readonly view: View
  readonly scanner: Scanner
  readonly scans: ScopeScans
  readonly achieved: Achieved
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly zone: string
  readonly ttlSeconds: number
  readonly waitMs: number
  readonly unlocked: (items: readonly AchievementItem[]) => void
  /** A scan is over. */
  readonly scanned: () => void
}

const MOST_RECENT = 20

/** One view of the sessions: its snapshot, its scans, its unlocks. */
export class ViewOfSessions {
  readonly #setup: Setup
  readonly #store: SnapshotStore
  readonly #coordinator: ScanCoordinator
  readonly #files: ReturnType<typeof filesOf>
  readonly #book: UnlockBook
  readonly #partial = new PartialResults()
  /** Who is not to be shown again, also by an evaluation that began before. */
  readonly #forgotten = new Set<string>()
  #aggregate: Aggregate | undefined

  constructor(setup: Setup) {
    this.#setup = setup
    this.#files = filesOf(setup.view, setup.folder)
    this.#store = new SnapshotStore(this.#files?.snapshot)
    // By another clock there were other nights.
    if (this.#store.get()?.time_zone !== setup.zone) this.#store.clear()
    this.#book = new UnlockBook({ ...setup, file: this.#files?.state })
    this.#coordinator = new ScanCoordinator(
      (scan) => this.#scan(scan),
      () => this.#store.isStale(setup.ttlSeconds),
    )
  }

  async get(wait: boolean): Promise<Result<AchievementsReply>> {
    const run = this.#coordinator.runIfNeeded()
    if (wait && run && !this.#store.get()) await this.#bounded(run)
    const failed = this.#coordinator.failure()
    return failed && !this.#store.get() ? failed : success(this.#reply())
  }

  rescan(full: boolean): RescanReply {
    const run_id = this.#coordinator.request(full)
    return { ok: true, run_id, status: this.status() }
  }

  /** Waits for a scan that is under way. */
  async settled(): Promise<Result<unknown>> {
    return (await this.#coordinator.settled()) ?? success(null)
  }

  isRunning(): boolean {
    return this.#coordinator.getStatus().state === 'running'
  }

  async stop(): Promise<void> {
    await this.#coordinator.stop()
  }

  async aggregate(): Promise<Result<Aggregate>> {
    if (this.#aggregate) return success(this.#aggregate)
    const done = await this.#coordinator.runIfNeeded(true)
    if (this.#aggregate) return success(this.#aggregate)
    if (done && !done.ok && !this.#store.get()) return done
    const failed = await this.known()
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

  /** The newest unlocks first. */
  recent(): readonly AchievementItem[] {
    return latestOf(this.#store.get()?.achievements ?? [], MOST_RECENT)
  }

  /** No scan runs meanwhile. */
  async reset(): Promise<Result<number>> {
    const locked = await this.#book.reset()
    if (!locked.ok) return locked
    for (const { scope } of await specsOf(this.#setup.view, this.#setup.env)) {
      const failed = await this.#setup.scans.drop(scope)
      if (failed) return failed
    }
    this.#aggregate = undefined
    this.#coordinator.forgive()
    this.#store.clear()
    for (const file of this.#written()) rmSync(file, { force: true })
    return this.#book.write() ?? locked
  }

  /** Whether anything of it is in a file or in memory. */
  isKept(): boolean {
    return this.#store.get() !== undefined || this.#written().some((file) => existsSync(file))
  }

  #written(): readonly string[] {
    return Object.values(this.#files ?? {}).filter((file) => file !== undefined)
  }

  /** Answers how many things named them. */
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

  /** Gives the thread what the ledger kept. */
  async known(): Promise<Failure | undefined> {
    for (const spec of await specsOf(this.#setup.view, this.#setup.env)) {
      const failed = await this.#setup.scans.know(spec)
      if (failed) return failed
    }
    return undefined
  }

  async #bounded(run: Promise<unknown>): Promise<void> {
    const over = new AbortController()
    const late = delay(this.#setup.waitMs, undefined, { signal: over.signal }).catch(() => undefined)
    await Promise.race([run, late])
    over.abort()
  }

  #reply(): AchievementsReply {
    const { view, zone, ttlSeconds } = this.#setup
    const partial = this.#partial.newest()
    const found = this.#store.get() ?? partial ?? nothingYet(view.source, zone)
    const error = this.#coordinator.failure()?.message ?? null
    return {
      ...found,
      is_stale: (found !== partial && this.#store.isStale(ttlSeconds)) || error !== null,
      error: error ?? found.error,
      scan_meta: { ...found.scan_meta, error: error ?? found.scan_meta.error, status: this.status() },
    }
  }

  async #scan(scan: Scan): Promise<Result<unknown>> {
    try {
      return await this.#scanned(scan, Date.now())
    } finally {
      this.#partial.end()
      this.#setup.scanned()
    }
  }

  async #scanned({ full, progress, signal }: Scan, began: number): Promise<Result<unknown>> {
    const { view, env, zone, scans } = this.#setup
    // A home without Hermes has no sessions of it; a file that somebody named has to be there.
    if (view.hermesDb !== undefined && !existsSync(view.hermesDb))
      return failure('not_found', `There is no file ${view.hermesDb}. Check the path.`)
    const specs = await specsOf(view, env)
    const failed = await this.#book.load()
    if (failed) return failed
    if (!this.#store.get())
      this.#partial.begin(async (meta) => {
        const evaluated = await this.#evaluate()
        if (!evaluated.ok) return undefined
        const { messages: messages_scanned } = evaluated.value
        return this.#without(snapshotOf(view.source, zone, evaluated.value, { ...meta, messages_scanned }))
      }, began)
    const hear = this.#partial.sum(progress)
    const results = await Promise.all(
      specs.map((spec) => scans.scan(spec, full, (done, total) => hear(spec.scope, done, total), signal)),
    )
    const failures = results.filter((result) => !result.ok)
    const [first] = failures
    if (signal.aborted) return first ?? failure('stopped', 'Stopped. What was read so far is kept.')
    if (first && failures.length === specs.length) return first
    const totals = results.flatMap((result) => (result.ok ? [result.value] : []))
    return this.#finish(began, totals, first?.message ?? null)
  }

  async #finish(
    began: number,
    totals: readonly ScanTotals[],
    problem: string | null,
  ): Promise<Result<unknown>> {
    const evaluated = await this.#evaluate()
    if (!evaluated.ok) return evaluated
    const { items, aggregate, unlocked } = evaluated.value
    const unkept = await this.#book.add(unlocked)
    if (unkept) return unkept
    this.#book.forget(this.#forgotten)
    // What a first look finds was unlocked long ago.
    const isFirst = this.#store.get() === undefined
    const { view, zone } = this.#setup
    const meta = metaOf(totals, evaluated.value, Date.now() - began, problem)
    this.#aggregate = aggregate
    const snapshot = { ...snapshotOf(view.source, zone, evaluated.value, meta), error: problem }
    const unwritten = this.#show(snapshot) ?? this.#book.write()
    if (unwritten)
      this.#store.note({
        ...snapshot,
        error: unwritten.message,
        scan_meta: { ...meta, error: unwritten.message },
      })
    const names = new Set(unlocked.map(({ id }) => id))
    if (!isFirst && names.size > 0) this.#setup.unlocked(items.filter(({ id }) => names.has(id)))
    return success(null)
  }

  async #evaluate(): Promise<Result<Evaluated>> {
    const { view, env, zone, scanner } = this.#setup
    const scopes = (await specsOf(view, env)).map(({ scope }) => scope)
    return scanner.call('evaluate', [{ scopes, zone, view: viewKey(view), unlocks: this.#book.rows() }])
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
