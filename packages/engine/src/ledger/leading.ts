import { aborted, pause } from '@panoptes/engine/waiting'
import type { LedgerJob } from './port.ts'

/** How long who led, or could not, waits before the next time. */
export const AGAIN_MS = 1_000

type Work = (signal: AbortSignal) => Promise<void>

/** The right to do a job, until the signal aborts or it is given back. */
export interface Hold {
  readonly signal: AbortSignal
  readonly release: () => Promise<void>
}

/** Whether and when this process does a job is up to `take`; within the process those who want the same job wait in line. */
export class Leading {
  readonly #take: (job: LedgerJob, ended: AbortSignal) => Promise<Hold | undefined>
  readonly #line = new Map<LedgerJob, Promise<unknown>>()

  constructor(take: (job: LedgerJob, ended: AbortSignal) => Promise<Hold | undefined>) {
    this.#take = take
  }

  async lead(job: LedgerJob, work: Work, ended: AbortSignal): Promise<void> {
    const before = this.#line.get(job)
    const over = this.#inLine(job, work, before, ended)
    this.#line.set(job, Promise.allSettled([before, over]))
    await over
  }

  async #inLine(
    job: LedgerJob,
    work: Work,
    before: Promise<unknown> | undefined,
    ended: AbortSignal,
  ): Promise<void> {
    await Promise.race([before, aborted(ended)])
    while (!ended.aborted) {
      const hold = await this.#take(job, ended)
      if (hold === undefined) return
      try {
        await work(AbortSignal.any([hold.signal, ended]))
      } catch {
        // Whoever does the work says what went wrong; it is tried again.
      } finally {
        await hold.release()
      }
      await pause(AGAIN_MS, ended)
    }
  }
}
