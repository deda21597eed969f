import { randomUUID } from 'node:crypto'
import type { Failure, Result, ScanStatus } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

type Run = Pick<
  ScanStatus,
  | 'state'
  | 'started_at'
  | 'finished_at'
  | 'last_error'
  | 'last_duration_ms'
  | 'run_count'
  | 'run_id'
  | 'progress'
>

/** The result of a finished scan; parts of it may have failed. */
export interface Ended {
  readonly problem: string | null
}

export interface Scan {
  readonly full: boolean
  readonly progress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

interface Running {
  readonly id: string
  readonly full: boolean
  readonly stop: AbortController
  readonly ended: Promise<Result<Ended>>
}

const SECOND_MS = 1_000
const seconds = (ms: number): number => Math.floor(ms / SECOND_MS)

/** Runs at most one scan at a time; callers share the active one. */
export class ScanCoordinator {
  readonly #scan: (scan: Scan) => Promise<Result<Ended>>
  readonly #needed: () => boolean
  readonly #now: () => number
  #running: Running | undefined
  /** A full scan requested during another scan starts when that one ends. */
  #next: string | undefined
  #failure: Failure | undefined
  #run: Run = {
    state: 'idle',
    started_at: null,
    finished_at: null,
    last_error: null,
    last_duration_ms: null,
    run_count: 0,
    run_id: null,
    progress: null,
  }

  constructor(
    scan: (scan: Scan) => Promise<Result<Ended>>,
    needed: () => boolean,
    now: () => number = Date.now,
  ) {
    this.#scan = scan
    this.#needed = needed
    this.#now = now
  }

  /** Returns the active scan, or starts one if needed or forced; undefined otherwise. */
  runIfNeeded(force = false): Promise<Result<Ended>> | undefined {
    if (this.#running) return this.#running.ended
    return force || this.#needed() ? this.#begin(false, randomUUID()).ended : undefined
  }

  /** Starts a scan or joins an equal one, and returns its id. */
  request(full: boolean): string {
    const running = this.#running
    if (running === undefined) return this.#begin(full, randomUUID()).id
    if (!full || running.full) return running.id
    this.#next ??= randomUUID()
    return this.#next
  }

  /** Waits for the active scan and for those requested meanwhile. */
  async settled(): Promise<Result<Ended> | undefined> {
    let ended: Result<Ended> | undefined
    while (this.#running) ended = await this.#running.ended
    return ended
  }

  /** Stops a scan; what it has read is kept. */
  async stop(): Promise<void> {
    this.#next = undefined
    this.#running?.stop.abort()
    await this.settled()
  }

  /** Returns why the last scan failed, until one succeeds. */
  failure(): Failure | undefined {
    return this.#failure
  }

  /** Forgets earlier failures. */
  forgive(): void {
    this.#failure = undefined
    this.#run = { ...this.#run, state: 'idle', last_error: null }
  }

  getStatus(): Run {
    return this.#run
  }

  #begin(full: boolean, id: string): Running {
    const began = this.#now()
    this.#run = {
      ...this.#run,
      state: 'running',
      started_at: seconds(began),
      finished_at: null,
      run_count: this.#run.run_count + 1,
      run_id: id,
      progress: null,
    }
    const progress = (done: number, total: number) => {
      if (this.#run.run_id === id) this.#run = { ...this.#run, progress: { done, total } }
    }
    const stop = new AbortController()
    const ended = this.#attempt({ full, progress, signal: stop.signal }).then((result) => {
      this.#end(result, began)
      return result
    })
    const running: Running = { id, full, stop, ended }
    this.#running = running
    return running
  }

  async #attempt(scan: Scan): Promise<Result<Ended>> {
    try {
      return await this.#scan(scan)
    } catch (error) {
      return failure('io', `The sessions could not be counted: ${String(error)}. Try again.`)
    }
  }

  #end(result: Result<Ended>, began: number): void {
    const now = this.#now()
    const failed = !result.ok && result.code !== 'stopped'
    if (result.ok || failed) this.#failure = result.ok ? undefined : result
    this.#running = undefined
    this.#run = {
      ...this.#run,
      state: failed ? 'failed' : 'idle',
      finished_at: seconds(now),
      last_error: failed ? result.message : result.ok ? result.value.problem : null,
      last_duration_ms: Math.round(now - began),
      progress: null,
    }
    const next = this.#next
    this.#next = undefined
    if (next !== undefined) this.#begin(true, next)
  }
}
