import type { Job, Work } from '@panoptes/engine/worker-rpc'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'

/** Gives long work access to its caller's progress callback and abort signal. */
export function createJob({ onProgress, signal }: Work, closing: () => boolean): Job {
  if (signal?.aborted) throw new Refused(failure('stopped', 'Stopped before it started.'))
  return {
    progress: (done, total) => onProgress?.(done, total),
    stopped: () => closing() || signal?.aborted === true,
    part: () => undefined,
  }
}
