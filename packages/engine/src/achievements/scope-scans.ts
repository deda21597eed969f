import { waitForAbort } from '@panoptes/engine/abortable'
import type { AchievementStore, ContributionRow } from '@panoptes/engine/store'
import type { Failure, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type HistorySpec, specSource } from './history.ts'
import type { ScanTotals } from './scan-history.ts'
import type { Scanner } from './scanner.ts'

type Progress = (done: number, total: number) => void

interface Running {
  readonly full: boolean
  readonly stop: AbortController
  readonly hearers: Set<Progress>
  /** The number of callers that wait; at zero the scan stops. */
  wanted: number
  readonly ended: Promise<Result<ScanTotals>>
}

interface Setup {
  readonly scanner: Scanner
  readonly achievementStore: AchievementStore
  /** Earlier contributions from outside the event store, for a new one. */
  readonly older: (scope: string) => readonly ContributionRow[]
  /** Called when something new is known about a scope. */
  readonly changed: (scope: string) => void
}

const PAGE = 5_000

/** Scans scopes for all views. One scan at a time reads the sessions of a scope for all callers. */
export class ScopeScans {
  readonly #setup: Setup
  readonly #loaded = new Map<string, Promise<Failure | undefined>>()
  readonly #running = new Map<string, Running>()
  #turn: Promise<void> = Promise.resolve()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Loads the stored rows of a scope into the worker. */
  know(spec: HistorySpec): Promise<Failure | undefined> {
    const loading = this.#loaded.get(spec.scope)
    if (loading) return loading
    const knowing = this.#tell(spec)
      .catch((error: unknown) => failure('io', `The counts could not be read: ${String(error)}. Try again.`))
      .then((failed) => {
        if (failed && this.#loaded.get(spec.scope) === knowing) this.#loaded.delete(spec.scope)
        return failed
      })
    this.#loaded.set(spec.scope, knowing)
    return knowing
  }

  /** The worker is gone, so that every scope is loaded again on demand. */
  knowNothing(): void {
    this.#loaded.clear()
  }

  /** Removes a scope from memory; it is loaded again on demand. */
  async unload(scope: string): Promise<Failure | undefined> {
    this.#loaded.delete(scope)
    if (!this.#setup.scanner.isRunning) return undefined
    const forgot = await this.#setup.scanner.call('drop', [scope])
    return forgot.ok ? undefined : forgot
  }

  async scan(
    spec: HistorySpec,
    full: boolean,
    hear: Progress,
    signal: AbortSignal,
  ): Promise<Result<ScanTotals>> {
    for (;;) {
      await this.free(signal)
      if (signal.aborted) return failure('stopped', 'Stopped before it started.')
      const running = this.#running.get(spec.scope)
      if (running === undefined) return this.#join(this.#begin(spec, full), hear, signal)
      if (running.full || !full) return this.#join(running, hear, signal)
      await running.ended
    }
  }

  /** Waits for exclusive work to end. */
  async free(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#turn, waitForAbort(signal)])
  }

  /** Runs exclusive work: stops active scans and lets new requests wait. */
  async alone<T>(stopAll: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const before = this.#turn
    const turn = Promise.withResolvers<void>()
    this.#turn = turn.promise
    try {
      await before
      await stopAll()
      return await work()
    } finally {
      turn.resolve()
    }
  }

  async drop(scope: string): Promise<Failure | undefined> {
    const dropped = await this.#setup.achievementStore.drop(scope)
    return dropped.ok ? this.unload(scope) : dropped
  }

  async #join(running: Running, hear: Progress, signal: AbortSignal): Promise<Result<ScanTotals>> {
    const leave = () => {
      running.wanted -= 1
      if (running.wanted === 0) running.stop.abort()
    }
    running.wanted += 1
    running.hearers.add(hear)
    signal.addEventListener('abort', leave)
    try {
      return await running.ended
    } finally {
      signal.removeEventListener('abort', leave)
      running.hearers.delete(hear)
    }
  }

  #begin(spec: HistorySpec, full: boolean): Running {
    const { scope } = spec
    const stop = new AbortController()
    const hearers = new Set<Progress>()
    const onProgress: Progress = (done, total) => {
      for (const hear of hearers) hear(done, total)
    }
    const ended = this.#read(spec, full, onProgress, stop.signal).finally(() => this.#running.delete(scope))
    const running: Running = { full, stop, hearers, wanted: 0, ended }
    this.#running.set(scope, running)
    return running
  }

  async #read(
    spec: HistorySpec,
    full: boolean,
    onProgress: Progress,
    signal: AbortSignal,
  ): Promise<Result<ScanTotals>> {
    const failed = await this.know(spec)
    if (failed) return failed
    const { scanner, achievementStore, changed } = this.#setup
    const keeping: Promise<Result<null>>[] = []
    const done = await scanner.call('scan', [spec, full], { onProgress, signal }, (rows) => {
      keeping.push(achievementStore.contribute(rows as readonly ContributionRow[]))
      changed(spec.scope)
    })
    const unkept = (await Promise.all(keeping)).find((result) => !result.ok)
    if (unkept === undefined) return done
    // The worker knows what the event store does not. Reloading it makes the next scan read what is
    // missing.
    return (await this.unload(spec.scope)) ?? (await this.know(spec)) ?? unkept
  }

  async #tell(spec: HistorySpec): Promise<Failure | undefined> {
    const { scanner, achievementStore, older } = this.#setup
    const { scope } = spec
    const source = specSource(spec)
    for (let after = '', first = true; ; first = false) {
      const page = await achievementStore.contributions(scope, after, PAGE)
      if (!page.ok) return page
      const found = first && page.value.length === 0 ? older(scope) : []
      const stored = found.length === 0 ? undefined : await achievementStore.contribute(found)
      if (stored && !stored.ok) return stored
      const sent = await scanner.call('know', [scope, source, [...page.value, ...found]])
      if (!sent.ok) return sent
      if (page.value.length < PAGE) return undefined
      after = page.value.at(-1)?.id ?? ''
    }
  }
}
