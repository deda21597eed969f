import { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type { ReviewerCalls, WorkerSetup } from '../calls.ts'

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../worker.ts' : './outcomes-worker.js',
  import.meta.url,
)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 12

export type Reviewer = OnDemandThread<{ [M in keyof ReviewerCalls]: ReviewerCalls[M] }>

/** Creates the thread that reads. `ended` is called when it is gone, with everything that it knew. */
export const createReviewer = (data: () => WorkerSetup, ended: () => void): Reviewer =>
  new OnDemandThread({
    script: SCRIPT,
    name: 'review',
    data,
    what: 'Reading the outcomes of sessions',
    young: YOUNG_MB,
    onEnd: ended,
  })
