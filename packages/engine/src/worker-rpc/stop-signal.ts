import type { Job } from './messages.ts'

const LOOK_MS = 50

/** Exposes a job's stop flag as a signal, for work that takes one. */
export function stoppedSignal(job: Job): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController()
  const timer = setInterval(() => job.stopped() && stop.abort(), LOOK_MS)
  return { signal: stop.signal, end: () => clearInterval(timer) }
}
