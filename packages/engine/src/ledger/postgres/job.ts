import type { Job, Work } from '@panoptes/engine/threads'
import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'

/** What a caller said of a long call, as the work itself sees it. */
export function jobOf({ onProgress, signal }: Work, closing: () => boolean): Job {
  if (signal?.aborted) throw new Refused(failure('stopped', 'Stopped before it began.'))
  return {
    progress: (done, total) => onProgress?.(done, total),
    stopped: () => closing() || signal?.aborted === true,
    part: () => undefined,
  }
}
