import { pause, waitForAbort } from '@panoptes/engine/abortable'
import type { StoreJob } from './port.ts'

/** A process waits this long before it competes again after it led or failed to lead. */
export const AGAIN_MS = 1_000

type Work = (signal: AbortSignal) => Promise<void>

/** The right to do a job until the signal aborts or the holder releases it. */
export interface Hold {
  readonly signal: AbortSignal
  readonly release: () => Promise<void>
}

/**
 * Runs a job while this process leads. `take` decides whether and when it does; within the process, callers
 * that want the same job wait in line.
 */
export class Leading {
  readonly #take: (job: StoreJob, ended: AbortSignal) => Promise<Hold | undefined>
  readonly #line = new Map<StoreJob, Promise<unknown>>()

  constructor(take: (job: StoreJob, ended: AbortSignal) => Promise<Hold | undefined>) {
    this.#take = take
  }

  async lead(job: StoreJob, work: Work, ended: AbortSignal): Promise<void> {
    const before = this.#line.get(job)
    const over = this.#inLine(job, work, before, ended)
    this.#line.set(job, Promise.allSettled([before, over]))
    await over
  }

  async #inLine(
    job: StoreJob,
    work: Work,
    before: Promise<unknown> | undefined,
    ended: AbortSignal,
  ): Promise<void> {
    await Promise.race([before, waitForAbort(ended)])
    while (!ended.aborted) {
      const hold = await this.#take(job, ended)
      if (hold === undefined) return
      try {
        await work(AbortSignal.any([hold.signal, ended]))
      } catch {
        // The work reports its own errors; the job is tried again.
      } finally {
        await hold.release()
      }
      await pause(AGAIN_MS, ended)
    }
  }
}
