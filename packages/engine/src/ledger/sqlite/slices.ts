import { setImmediate } from 'node:timers/promises'
import { failure } from '@panoptes/schema/result'
import { Refusal } from './failures.ts'

/** What a long job needs: to say how far it is, and to be stopped. */
export interface Job {
  readonly progress: (done: number, total: number) => void
  readonly stopped: () => boolean
  /** Sends a part of a long list ahead of the answer. */
  readonly part: (part: readonly unknown[]) => void
}

/** Lets appends go on between two slices of a long job. */
export async function breathe(job: Job): Promise<void> {
  await setImmediate()
  if (job.stopped())
    throw new Refusal(
      failure('stopped', 'Stopped before the end. What was done so far is whole; run it again to go on.'),
    )
}
