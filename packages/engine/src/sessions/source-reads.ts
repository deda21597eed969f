import type { ReadSessions, SessionSource } from '@panoptes/engine/sources'
import type { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type { Failure, IndexStatus, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { IndexerCalls } from './calls.ts'

export type IndexerThread = OnDemandThread<{ [M in keyof IndexerCalls]: IndexerCalls[M] }>

export interface SourceReadsOptions {
  readonly indexer: IndexerThread
  readonly sources: readonly SessionSource[]
  /** Returns the names that a slash command may refer to. */
  readonly skills: () => Promise<readonly string[]>
  /** Returns the time by which sessions are too old; null if it cannot be trusted. */
  readonly now: () => Promise<number | null>
  /** Only the process that follows changes fills a shared index. */
  readonly isShared: boolean
}

/** How soon a write is retried when another process held the lock. */
const BUSY_MS = 2_000

/** The read ended before changes that others wait for were read. */
const INTERRUPTED = Symbol('interrupted')

/** Decides when each source is read. Only one read per source runs at a time; changes during it are read right after. */
export class SourceReads {
  readonly #options: SourceReadsOptions
  readonly #statuses: Map<string, IndexStatus>
  readonly #running = new Map<string, Promise<Result<null> | typeof INTERRUPTED>>()
  /** Sources that were read completely. */
  readonly #complete = new Set<string>()
  /** Sources that changed during their read. */
  readonly #changed = new Set<string>()
  /** Sources for which somebody waits for all changes. */
  readonly #hurried = new Set<string>()
  readonly #retries = new Map<string, NodeJS.Timeout>()
  readonly #watches = new Set<() => void>()
  readonly #readListeners = new Set<(source: string) => void>()
  readonly #statusListeners = new Set<() => void>()
  readonly #closing = new AbortController()
  /** Aborts the current reads; undefined while reading is paused. */
  #current: AbortController | undefined = new AbortController()

  constructor(options: SourceReadsOptions) {
    this.#options = options
    this.#statuses = new Map(
      options.sources.map(({ name }) => [
        name,
        { source: name, state: 'idle', done: 0, total: 0, problem: null },
      ]),
    )
  }

  get statuses(): readonly IndexStatus[] {
    return [...this.#statuses.values()]
  }

  get complete(): ReadonlySet<string> {
    return this.#complete
  }

  readonly refresh: ReadSessions['refresh'] = async (signal = this.#closing.signal, onProgress) => {
    const report = () => {
      const active = this.statuses.filter(({ state }) => state === 'running')
      const sum = (field: 'done' | 'total') => active.reduce((total, status) => total + status[field], 0)
      onProgress?.(sum('done'), sum('total'))
    }
    const names = this.#options.sources.map(({ name }) => name)
    for (const name of names) this.#hurried.add(name)
    this.#statusListeners.add(report)
    try {
      const results = await Promise.all(names.map((name) => this.#read(name, signal)))
      return results.find((result) => !result.ok) ?? success(null)
    } finally {
      this.#statusListeners.delete(report)
    }
  }

  readonly onRead: ReadSessions['onRead'] = (listener) => {
    this.#readListeners.add(listener)
    return () => this.#readListeners.delete(listener)
  }

  /** Runs work that interrupts the reads, and reads those sources again afterwards that it interrupted. */
  async interrupt<T>(work: () => Promise<T>): Promise<T> {
    const interrupted = [...this.#running.keys()]
    const done = await work()
    for (const name of interrupted) this.#readSoon(name)
    return done
  }

  readAllSoon(): void {
    for (const { name } of this.#options.sources) this.#readSoon(name)
  }

  /** Reads what changes until the returned function is called, which interrupts the current reads. */
  follow(): () => void {
    const unwatch = this.#options.sources.map((source) => source.watch(() => this.#readSoon(source.name)))
    const end = () => {
      for (const each of unwatch) each()
      this.#watches.delete(end)
    }
    this.#watches.add(end)
    return () => {
      end()
      this.#cancelRetries()
      this.#current?.abort()
      if (this.#current) this.#current = new AbortController()
    }
  }

  pause(paused: boolean): void {
    if (paused === (this.#current === undefined)) return
    this.#current?.abort()
    this.#current = paused ? undefined : new AbortController()
    if (!paused) this.readAllSoon()
    else for (const { name } of this.#options.sources) this.#update(name, { state: 'paused' })
  }

  close(): void {
    for (const end of [...this.#watches]) end()
    this.#closing.abort()
    this.#cancelRetries()
  }

  #readSoon(name: string): void {
    void this.#read(name, this.#closing.signal)
  }

  async #read(name: string, signal: AbortSignal): Promise<Result<null>> {
    const isFollowing = this.#watches.size > 0
    if (this.#current === undefined || (this.#options.isShared && !isFollowing)) return success(null)
    const running = this.#running.get(name)
    if (running) {
      this.#changed.add(name)
      const ended = await running
      if (ended !== INTERRUPTED) return ended
      return signal.aborted ? success(null) : this.#read(name, signal)
    }
    const own = this.#readWhileChanged(name, signal)
    this.#running.set(name, own)
    const ended = await own
    return ended === INTERRUPTED ? success(null) : ended
  }

  async #readWhileChanged(name: string, signal: AbortSignal): Promise<Result<null> | typeof INTERRUPTED> {
    try {
      let failed: Failure | undefined
      do {
        this.#changed.delete(name)
        failed = await this.#readOnce(name, signal)
      } while (
        failed === undefined &&
        this.#changed.has(name) &&
        !signal.aborted &&
        this.#current !== undefined
      )
      if (signal.aborted && this.#changed.has(name)) return INTERRUPTED
      return failed ?? success(null)
    } finally {
      // In the same step as the last look at what changed, so that no change falls between.
      this.#running.delete(name)
    }
  }

  async #readOnce(name: string, signal: AbortSignal): Promise<Failure | undefined> {
    this.#update(name, { state: 'running', done: 0, total: 0 })
    const { indexer, skills, now } = this.#options
    const halt = this.#current ? AbortSignal.any([signal, this.#current.signal]) : signal
    const isHurried = this.#hurried.delete(name)
    let sessions = 0
    const onProgress = (done: number, total: number) => {
      sessions = done
      this.#update(name, { done, total })
    }
    const around = { skills: await skills(), now: await now() }
    const read = await indexer.call('refresh', [name, !isHurried, around], { onProgress, signal: halt })
    this.#retryAfter(name, read.ok ? read.value.again_ms : read.code === 'busy' ? BUSY_MS : null)
    const isStopped = read.ok && read.value.isStopped
    if (read.ok && !isStopped && !halt.aborted) this.#complete.add(name)
    // Something was forgotten meanwhile.
    if (isStopped && !halt.aborted) this.#changed.add(name)
    if (isHurried && halt.aborted && this.#changed.has(name)) this.#hurried.add(name)
    // A read that failed may have written some sessions before.
    if (read.ok ? read.value.written > 0 : sessions > 0)
      for (const listener of this.#readListeners) listener(name)
    const problem = read.ok ? (read.value.problems[0]?.message ?? null) : read.message
    if (this.#current === undefined) this.#update(name, { state: 'paused' })
    else this.#update(name, { state: read.ok ? 'idle' : 'failed', problem })
    return read.ok || halt.aborted ? undefined : read
  }

  #retryAfter(name: string, ms: number | null): void {
    clearTimeout(this.#retries.get(name))
    if (ms !== null && !this.#closing.signal.aborted)
      this.#retries.set(
        name,
        setTimeout(() => this.#readSoon(name), ms),
      )
  }

  #cancelRetries(): void {
    for (const retry of this.#retries.values()) clearTimeout(retry)
  }

  #update(name: string, change: Partial<IndexStatus>): void {
    const status = this.#statuses.get(name)
    if (status) this.#statuses.set(name, { ...status, ...change })
    for (const listener of this.#statusListeners) listener()
  }
}
