import { setImmediate } from 'node:timers/promises'
import type { Job } from '@panoptes/engine/threads'
import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'

/** Lets appends go on between two slices of a long job. */
export async function breathe(job: Job): Promise<void> {
  await setImmediate()
  if (job.stopped())
    throw new Refused(
      failure('stopped', 'Stopped before the end. What was done so far is whole; run it again to go on.'),
    )
}
