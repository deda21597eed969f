import { Thread } from '@panoptes/engine/worker-rpc'
import type { ReviewerCalls, WorkerSetup } from '../calls.ts'

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../worker.ts' : './outcomes-worker.js',
  import.meta.url,
)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 12

type ReviewerThread = Thread<{ [M in keyof ReviewerCalls]: ReviewerCalls[M] }>
export interface Reviewer extends Pick<ReviewerThread, 'call' | 'end'> {
  /** Whether it was asked anything yet. */
  readonly isStarted: () => boolean
}

/** The thread that reads. It starts when it is first asked something, and anew after it died: then it knows nothing. */
export function reviewerOnDemand(data: () => WorkerSetup, died: () => void): Reviewer {
  let started: ReviewerThread | undefined
  return {
    isStarted: () => started !== undefined,
    call: async (...asked) => {
      started ??= new Thread({
        script: SCRIPT,
        name: 'review',
        data: data(),
        what: 'Reading the outcomes of sessions',
        young: YOUNG_MB,
      }) as ReviewerThread
      const own = started
      const answer = await own.call(...asked)
      if (own.isDead && started === own) {
        started = undefined
        died()
      }
      return answer
    },
    end: async () => {
      await started?.call('close', [])
      await started?.end()
    },
  }
}
