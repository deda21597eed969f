import { setImmediate } from 'node:timers/promises'
import type { Job } from '@panoptes/engine/worker-rpc'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'

/** Lets appends run between two slices of a long job. */
export async function yieldToAppends(job: Job): Promise<void> {
  await setImmediate()
  if (job.stopped())
    throw new Refused(
      failure('stopped', 'Interrupted. Finished work is saved; run the command again to continue.'),
    )
}
