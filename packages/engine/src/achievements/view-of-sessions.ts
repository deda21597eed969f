import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Achieved, ContributionRow, UnlockRow } from '@panoptes/engine/ledger'
import { hermesHome } from '@panoptes/engine/sources'
import type {
  AchievementItem,
  AchievementsReply,
  Failure,
  RescanReply,
  Result,
  ScanMeta,
  ScanStatus,
  SessionRef,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Evaluated } from './calls.ts'
import { readCheckpoint } from './checkpoint.ts'
import { type Scan, ScanCoordinator } from './coordinator.ts'
import type { HistorySpec } from './history.ts'
import { rowOf } from './kept.ts'
import type { Aggregate } from './metrics.ts'
import type { Scanner } from './open.ts'
import type { ScanTotals } from './scan-history.ts'
import { nothingYet, snapshotOf } from './snapshot.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { readState, writeState } from './state-file.ts'
import type { Unlock } from './unlocks.ts'
import { specsOf, type View, viewKey } from './view.ts'

interface Setup {
  readonly view: View
  readonly scanner: Scanner
  readonly achieved: Achieved
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly zone: string
  readonly ttlSeconds: number
  readonly waitMs: number
  readonly unlocked: (items: readonly AchievementItem[]) => void
}

const PAGE = 5_000
const PARTIAL_MS = 400
const CHECKPOINT_MS = 30_000
const MOST_RECENT = 20

/** One view of the sessions: its snapshot, its scans, its unlocks. */
export class ViewOfSessions {
  readonly #setup: Setup
  readonly #store: SnapshotStore
  readonly #coordinator: ScanCoordinator
  readonly #files: ReturnType<typeof filesOf>
  #unlocks: Map<string, UnlockRow> | undefined
  #aggregate: Aggregate | undefined
  #failure: Failure | undefined
  #lastCheckpoint = 0

  constructor(setup: Setup) {
    this.#setup = setup
    this.#files = filesOf(setup)
    this.#store = new SnapshotStore(this.#files?.snapshot)
    this.#coordinator = new ScanCoordinator(
      (scan) => this.#scan(scan),
      () => !this.#hasWhole() || this.#store.isStale(setup.ttlSeconds),
    )
  }

  async get(wait: boolean): Promise<Result<AchievementsReply>> {
    const run = this.#coordinator.runIfNeeded()
    if (wait && !this.#hasWhole())
      await Promise.race([run, delay(this.#setup.waitMs, undefined, { ref: false })])
    return this.#failure && !this.#store.get() ? this.#failure : success(this.#reply())
  }

  /** Where only some sessions were counted, that is shown and does not pass for an answer. */
  #hasWhole(): boolean {
    const mode = this.#store.get()?.scan_meta.mode
    return mode !== undefined && mode !== 'in_progress'
  }

  rescan(full: boolean): RescanReply {
    void this.#coordinator.runIfNeeded(true, full)
    const status = this.status()
    return { ok: true, run_id: status.run_id ?? '', status }
  }

  async settled(): Promise<Result<unknown>> {
    return (await this.#coordinator.runIfNeeded()) ?? success(null)
  }

  async aggregate(): Promise<Result<Aggregate>> {
    if (this.#aggregate) return success(this.#aggregate)
    const done = await this.#coordinator.runIfNeeded(true)
    if (done && !done.ok && !this.#hasWhole()) return done
    const failed = await this.known()
    if (failed) return failed
    const evaluated = await this.#evaluate()
    return evaluated.ok ? success(evaluated.value.aggregate) : evaluated
  }

  status(): ScanStatus {
    const found = this.#store.get()
    return {
      ...this.#coordinator.getStatus(),
      ttl_seconds: this.#setup.ttlSeconds,
      snapshot_generated_at: found?.generated_at ?? null,
      snapshot_age_seconds: this.#store.ageSeconds() ?? null,
      snapshot_stale: this.#store.isStale(this.#setup.ttlSeconds),
    }
  }

  /** The newest unlocks first. */
  recent(): readonly AchievementItem[] {
    return (this.#store.get()?.achievements ?? [])
      .filter(({ unlocked }) => unlocked)
      .sort((a, b) => (b.unlocked_at ?? 0) - (a.unlocked_at ?? 0))
      .slice(0, MOST_RECENT)
  }

  async reset(): Promise<Result<number>> {
    const { achieved, scanner, view, env } = this.#setup
    // What a scan still finds would be kept again.
    await this.#coordinator.current()
    const locked = await achieved.lock(viewKey(view))
    if (!locked.ok) return locked
    for (const { scope } of await specsOf(view, env)) {
      const dropped = await achieved.drop(scope)
      if (!dropped.ok) return dropped
      await scanner.call('drop', [scope])
    }
    this.#unlocks = new Map()
    this.#aggregate = undefined
    this.#store.clear()
    for (const file of Object.values(this.#files ?? {})) rmSync(file, { force: true })
    return locked
  }

  /** Whether anything of it is in a file or in memory. */
  isKept(): boolean {
    return (
      this.#store.get() !== undefined || Object.values(this.#files ?? {}).some((file) => existsSync(file))
    )
  }

  /** Answers how many things named them. All that is kept has to be known before. */
  async forget(sessions: readonly SessionRef[]): Promise<number> {
    await this.#loadUnlocks()
    const ids = new Set(sessions.map(({ id }) => id))
    const found = this.#store.get()
    let changed = 0
    const achievements = found?.achievements.map((item) => {
      if (!item.evidence || !ids.has(item.evidence.session_id)) return item
      changed += 1
      return { ...item, evidence: null }
    })
    for (const [id, row] of this.#unlocks ?? []) {
      const unlock = JSON.parse(row.doc) as Unlock
      if (!unlock.evidence || !ids.has(unlock.evidence.session_id)) continue
      this.#unlocks?.set(id, { ...row, doc: JSON.stringify({ ...unlock, evidence: null }) })
    }
    if (found && achievements && changed > 0) this.#store.set({ ...found, achievements })
    this.#lastCheckpoint = 0
    await this.#writeFiles()
    return changed
  }

  /** Gives the thread what the ledger kept. */
  async known(): Promise<Failure | undefined> {
    for (const spec of await specsOf(this.#setup.view, this.#setup.env)) {
      const failed = await this.#know(spec)
      if (failed) return failed
    }
    return undefined
  }

  #reply(): AchievementsReply {
    const found = this.#store.get() ?? nothingYet(this.#setup.view.source, this.#setup.zone)
    const isStale = this.#store.isStale(this.#setup.ttlSeconds) || this.#failure !== undefined
    const error = this.#failure?.message ?? found.scan_meta.error
    return {
      ...found,
      is_stale: isStale,
      error: this.#failure?.message ?? found.error,
      scan_meta: { ...found.scan_meta, error, status: this.status() },
    }
  }

  async #scan({ full, progress }: Scan): Promise<Result<unknown>> {
    const began = Date.now()
    const { hermesDb } = this.#setup.view
    // A home without Hermes has no sessions of it; a file that somebody named has to be there.
    if (hermesDb !== undefined && !existsSync(hermesDb))
      return this.#failed(failure('not_found', `There is no file ${hermesDb}.`))
    const specs = await specsOf(this.#setup.view, this.#setup.env)
    const unlocks = await this.#loadUnlocks()
    if (!unlocks.ok) return this.#failed(unlocks)
    const counted = new Map<string, { readonly done: number; readonly total: number }>()
    const told = { done: 0, total: 0 }
    const onProgress = (scope: string) => (done: number, total: number) => {
      counted.set(scope, { done, total })
      told.done = [...counted.values()].reduce((sum, one) => sum + one.done, 0)
      told.total = [...counted.values()].reduce((sum, one) => sum + one.total, 0)
      progress(told.done, told.total)
    }
    const stopShowing = this.#store.get() ? () => undefined : this.#showPartial(began, told)
    const results = await Promise.all(specs.map((spec) => this.#scanOne(spec, full, onProgress(spec.scope))))
    stopShowing()
    const failures = results.filter((result) => !result.ok)
    if (failures.length === specs.length && failures[0]) return this.#failed(failures[0])
    const totals = results.flatMap((result) => (result.ok ? [result.value] : []))
    return this.#finish(began, totals, failures[0]?.message)
  }

  #failed(failed: Failure): Failure {
    this.#failure = failed
    return failed
  }

  async #scanOne(
    spec: HistorySpec,
    full: boolean,
    onProgress: (done: number, total: number) => void,
  ): Promise<Result<ScanTotals>> {
    const failed = await this.#know(spec)
    if (failed) return failed
    const keeping: Promise<Result<null>>[] = []
    const done = await this.#setup.scanner.call('scan', [spec, full], { onProgress }, (rows) => {
      keeping.push(this.#setup.achieved.contribute(rows as readonly ContributionRow[]))
    })
    const kept = await Promise.all(keeping)
    return kept.find((result) => !result.ok) ?? done
  }

  async #know(spec: HistorySpec): Promise<Failure | undefined> {
    const { scanner, achieved } = this.#setup
    const { scope } = spec
    const knows = await scanner.call('knows', [scope])
    if (!knows.ok) return knows
    if (knows.value) return undefined
    let count = 0
    for (let after = ''; ; ) {
      const page = await achieved.contributions(scope, after, PAGE)
      if (!page.ok) return page
      await scanner.call('know', [scope, page.value])
      count += page.value.length
      after = page.value.at(-1)?.id ?? ''
      if (page.value.length < PAGE) break
    }
    if (count === 0) await this.#knowFromFile(spec)
    return undefined
  }

  /** A ledger that is new may find what an older one wrote down. */
  async #knowFromFile(spec: HistorySpec): Promise<void> {
    const { view, scanner, achieved } = this.#setup
    if (spec.kind !== 'hermes' || view.source !== 'hermes' || !this.#files) return
    const known = readCheckpoint(this.#files.checkpoint)
    const rows = [...known].map(([id, kept]) => rowOf(spec.scope, 'hermes', id, kept))
    if (rows.length === 0) return
    await scanner.call('know', [spec.scope, rows])
    await achieved.contribute(rows)
  }

  async #loadUnlocks(): Promise<Result<Map<string, UnlockRow>>> {
    if (this.#unlocks) return success(this.#unlocks)
    const view = viewKey(this.#setup.view)
    const kept = await this.#setup.achieved.unlocks(view)
    if (!kept.ok) return kept
    this.#unlocks = new Map(kept.value.map((row) => [row.id, row]))
    for (const [id, unlock] of this.#imported())
      if (!this.#unlocks.has(id)) this.#unlocks.set(id, { view, id, doc: JSON.stringify(unlock) })
    return success(this.#unlocks)
  }

  /** Dates that Hermes' own plugin wrote down, and those of an older ledger. */
  #imported(): ReadonlyMap<string, Unlock> {
    const { view, env } = this.#setup
    if (view.source !== 'hermes' || view.hermesDb !== undefined || !this.#files) return new Map()
    const home = hermesHome(env)
    const theirs = ['plugins', 'plugin-data'].map((place) =>
      readState(join(home, place, 'hermes-achievements', 'state.json')),
    )
    return new Map([...theirs.flatMap((one) => [...one]), ...readState(this.#files.state)])
  }

  async #evaluate(): Promise<Result<Evaluated>> {
    const { view, env, zone, scanner } = this.#setup
    const scopes = (await specsOf(view, env)).map(({ scope }) => scope)
    const unlocks = [...(this.#unlocks?.values() ?? [])]
    return scanner.call('evaluate', [{ scopes, zone, view: viewKey(view), unlocks }])
  }

  async #finish(
    began: number,
    totals: readonly ScanTotals[],
    problem: string | undefined,
  ): Promise<Result<unknown>> {
    const evaluated = await this.#evaluate()
    if (!evaluated.ok) return this.#failed(evaluated)
    const { items, aggregate, unlocked } = evaluated.value
    const kept = await this.#setup.achieved.unlock(unlocked)
    if (!kept.ok) return this.#failed(kept)
    const isFirst = this.#unlocks?.size === 0
    for (const row of unlocked) this.#unlocks?.set(row.id, row)
    const sum = (of: (one: ScanTotals) => number) => totals.reduce((all, one) => all + of(one), 0)
    const reused = sum((one) => one.reused)
    const meta: ScanMeta = {
      duration_ms: Date.now() - began,
      sessions_scanned: sum((one) => one.rescanned),
      messages_scanned: sum((one) => one.messages),
      mode: reused > 0 ? 'incremental' : 'full',
      error: problem ?? null,
      sessions_total: evaluated.value.sessions,
      sessions_rescanned: sum((one) => one.rescanned),
      sessions_reused: reused,
      skipped: totals.flatMap((one) => one.skipped),
    }
    this.#aggregate = aggregate
    this.#failure = undefined
    this.#store.set(snapshotOf(this.#setup.view.source, this.#setup.zone, evaluated.value, meta))
    await this.#writeFiles()
    const names = new Set(unlocked.map(({ id }) => id))
    // What a first look finds was unlocked long ago.
    if (!isFirst && names.size > 0) this.#setup.unlocked(items.filter(({ id }) => names.has(id)))
    return success(null)
  }

  /** While nothing whole is there yet, what is known so far is shown. */
  #showPartial(began: number, told: { readonly done: number; readonly total: number }): () => void {
    let showing = false
    const timer = setInterval(async () => {
      if (showing || told.done === 0) return
      showing = true
      const evaluated = await this.#evaluate()
      if (evaluated.ok && this.#coordinator.getStatus().state === 'running') {
        const meta: ScanMeta = {
          duration_ms: Date.now() - began,
          sessions_scanned: told.done,
          messages_scanned: evaluated.value.messages,
          mode: 'in_progress',
          error: null,
          sessions_total: told.total,
          sessions_rescanned: told.done,
          sessions_reused: 0,
          sessions_scanned_so_far: told.done,
          sessions_expected_total: told.total,
          skipped: [],
        }
        if (showing)
          this.#store.set(snapshotOf(this.#setup.view.source, this.#setup.zone, evaluated.value, meta))
      }
      showing = false
    }, PARTIAL_MS)
    timer.unref()
    return () => {
      clearInterval(timer)
      showing = false
    }
  }

  async #writeFiles(): Promise<void> {
    const { view, env, scanner } = this.#setup
    if (!this.#files) return
    if (view.source === 'hermes')
      writeState(
        this.#files.state,
        new Map([...(this.#unlocks ?? [])].map(([id, { doc }]) => [id, JSON.parse(doc) as Unlock])),
      )
    if (Date.now() - this.#lastCheckpoint < CHECKPOINT_MS) return
    this.#lastCheckpoint = Date.now()
    const scopes = (await specsOf(view, env)).map(({ scope }) => scope)
    await scanner.call('writeCheckpoint', [scopes, this.#files.checkpoint])
  }
}

/** Only what is of this computer's own sessions is written into files; Hermes' own have the names that Hermes gave them. */
function filesOf({ view, folder }: Setup) {
  if (view.hermesDb !== undefined || view.zone !== undefined) return undefined
  const named = (name: string) => join(folder, view.source === 'hermes' ? `${name}.json` : `${name}_all.json`)
  return { snapshot: named('scan_snapshot'), checkpoint: named('scan_checkpoint'), state: named('state') }
}
