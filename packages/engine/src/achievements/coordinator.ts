import { randomUUID } from 'node:crypto'
import type { Failure, Result, ScanStatus } from '@panoptes/schema'

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

export interface Scan {
  readonly full: boolean
  readonly progress: (done: number, total: number) => void
}

const SECOND_MS = 1_000
const seconds = (ms: number): number => Math.floor(ms / SECOND_MS)

/** At most one scan at a time: whoever asks while one runs is given that one. */
export class ScanCoordinator {
  readonly #scan: (scan: Scan) => Promise<Result<unknown>>
  readonly #needed: () => boolean
  readonly #now: () => number
  #running: Promise<Result<unknown>> | undefined
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
    scan: (scan: Scan) => Promise<Result<unknown>>,
    needed: () => boolean,
    now: () => number = Date.now,
  ) {
    this.#scan = scan
    this.#needed = needed
    this.#now = now
  }

  /** The scan that is under way, or a new one where one is needed or asked for; nothing where none is. */
  runIfNeeded(force = false, full = false): Promise<Result<unknown>> | undefined {
    if (this.#running) return this.#running
    if (!force && !this.#needed()) return undefined
    const began = this.#now()
    this.#run = {
      ...this.#run,
      state: 'running',
      started_at: seconds(began),
      finished_at: null,
      run_count: this.#run.run_count + 1,
      run_id: randomUUID(),
      progress: null,
    }
    const progress = (done: number, total: number) => {
      this.#run = { ...this.#run, progress: { done, total } }
    }
    this.#running = this.#scan({ full, progress }).then((result) => {
      this.#ended(result, began)
      return result
    })
    return this.#running
  }

  /** The scan that is under way. */
  current(): Promise<Result<unknown>> | undefined {
    return this.#running
  }

  getStatus(): Run {
    return this.#run
  }

  #ended(result: Result<unknown>, began: number): void {
    const now = this.#now()
    this.#running = undefined
    this.#run = {
      ...this.#run,
      state: result.ok ? 'idle' : 'failed',
      finished_at: seconds(now),
      last_error: result.ok ? null : (result satisfies Failure).message,
      last_duration_ms: Math.round(now - began),
      progress: null,
    }
  }
}
