import type { ScanMeta } from '@panoptes/schema'
import type { Snapshot } from './snapshot-store.ts'

const EVERY_MS = 1_000
/** Showing partial results takes at most a tenth of the time. */
const SHARE = 10

/** Partial results during the first scan. They are shown and never stored. */
export class PartialResults {
  #newest: Snapshot | undefined
  #timer: NodeJS.Timeout | undefined
  /** Resolves when the first sessions are counted. */
  #first: (() => void) | undefined
  #run = 0
  #done = 0
  #total = 0

  newest(): Snapshot | undefined {
    return this.#newest
  }

  /** Adds up the progress of the parts of a scan. */
  sum(report: (done: number, total: number) => void): (scope: string, done: number, total: number) => void {
    const parts = new Map<string, readonly [number, number]>()
    this.#done = 0
    this.#total = 0
    return (scope, done, total) => {
      parts.set(scope, [done, total])
      this.#done = [...parts.values()].reduce((all, [one]) => all + one, 0)
      this.#total = [...parts.values()].reduce((all, [, one]) => all + one, 0)
      report(this.#done, this.#total)
      if (this.#done === 0) return
      this.#first?.()
      this.#first = undefined
    }
  }

  begin(evaluate: (meta: ScanMeta) => Promise<Snapshot | undefined>, began: number): void {
    this.end()
    const run = this.#run
    const look = async () => {
      const start = performance.now()
      const snapshot = await evaluate(this.#meta(Date.now() - began))
      // The scan may have ended meanwhile.
      if (run !== this.#run) return
      this.#newest = snapshot ?? this.#newest
      this.#timer = setTimeout(look, Math.max(EVERY_MS, SHARE * (performance.now() - start))).unref()
    }
    this.#first = look
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#first = undefined
    this.#run += 1
    this.#newest = undefined
  }

  #meta(duration_ms: number): ScanMeta {
    return {
      duration_ms,
      sessions_scanned: this.#done,
      messages_scanned: 0,
      mode: 'in_progress',
      error: null,
      sessions_total: this.#total,
      sessions_rescanned: this.#done,
      sessions_reused: 0,
      sessions_scanned_so_far: this.#done,
      sessions_expected_total: this.#total,
      skipped: [],
    }
  }
}
