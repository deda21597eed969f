import type { Achieved, ContributionRow } from '@panoptes/engine/ledger'
import { aborted } from '@panoptes/engine/waiting'
import type { Failure, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type HistorySpec, sourceOf } from './history.ts'
import type { ScanTotals } from './scan-history.ts'
import type { Scanner } from './scanner.ts'

type Progress = (done: number, total: number) => void

interface Running {
  readonly full: boolean
  readonly stop: AbortController
  readonly hearers: Set<Progress>
  /** How many want its end; when nobody does, it is stopped. */
  wanted: number
  readonly ended: Promise<Result<ScanTotals>>
}

interface Setup {
  readonly scanner: Scanner
  readonly achieved: Achieved
  /** What was kept of a scope besides the ledger, for a ledger that is new. */
  readonly older: (scope: string) => readonly ContributionRow[]
  /** Hears that something is known of a scope that was not before. */
  readonly changed: (scope: string) => void
}

const PAGE = 5_000

/** Scans of scopes. Views share them: the sessions of a scope are read by one scan at a time, whoever asks. */
export class ScopeScans {
  readonly #setup: Setup
  readonly #known = new Map<string, Promise<Failure | undefined>>()
  readonly #running = new Map<string, Running>()
  #turn: Promise<void> = Promise.resolve()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Gives the thread what was kept of a scope. */
  know(spec: HistorySpec): Promise<Failure | undefined> {
    const known = this.#known.get(spec.scope)
    if (known) return known
    const knowing = this.#tell(spec)
      .catch((error: unknown) =>
        failure('io', `What was counted could not be read: ${String(error)}. Try again.`),
      )
      .then((failed) => {
        if (failed && this.#known.get(spec.scope) === knowing) this.#known.delete(spec.scope)
        return failed
      })
    this.#known.set(spec.scope, knowing)
    return knowing
  }

  /** Takes a scope out of memory; it is told again when it is asked for. */
  async unload(scope: string): Promise<Failure | undefined> {
    this.#known.delete(scope)
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
      if (signal.aborted) return failure('stopped', 'Stopped before it began.')
      const running = this.#running.get(spec.scope)
      if (running === undefined) return this.#join(this.#begin(spec, full), hear, signal)
      if (running.full || !full) return this.#join(running, hear, signal)
      await running.ended
    }
  }

  /** Waits while something is done alone. */
  async free(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#turn, aborted(signal)])
  }

  /** Does something while nobody reads: what runs is ended, and what is asked for meanwhile waits. */
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
    const dropped = await this.#setup.achieved.drop(scope)
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
    const { scanner, achieved, changed } = this.#setup
    const keeping: Promise<Result<null>>[] = []
    const done = await scanner.call('scan', [spec, full], { onProgress, signal }, (rows) => {
      keeping.push(achieved.contribute(rows as readonly ContributionRow[]))
      changed(spec.scope)
    })
    const unkept = (await Promise.all(keeping)).find((result) => !result.ok)
    if (unkept === undefined) return done
    // The thread has what the ledger has not: it goes by the ledger again, so that the next scan reads what is missing there.
    return (await this.unload(spec.scope)) ?? (await this.know(spec)) ?? unkept
  }

  async #tell(spec: HistorySpec): Promise<Failure | undefined> {
    const { scanner, achieved, older } = this.#setup
    const { scope } = spec
    const source = sourceOf(spec)
    for (let after = '', first = true; ; first = false) {
      const page = await achieved.contributions(scope, after, PAGE)
      if (!page.ok) return page
      const found = first && page.value.length === 0 ? older(scope) : []
      const kept = found.length === 0 ? undefined : await achieved.contribute(found)
      if (kept && !kept.ok) return kept
      const told = await scanner.call('know', [scope, source, [...page.value, ...found]])
      if (!told.ok) return told
      if (page.value.length < PAGE) return undefined
      after = page.value.at(-1)?.id ?? ''
    }
  }
}
