/** The longest delay that `setTimeout` accepts. */
const LONGEST_MS = 2_147_483_647

/**
 * Creates a signal that also aborts after a period of silence; each sign of life restarts the
 * timer.
 */
export function createIdleTimeout(signal: AbortSignal | undefined, ms: number) {
  const stop = new AbortController()
  const within = Math.min(ms, LONGEST_MS)
  let isLate = false
  const onTimeout = () => {
    isLate = true
    stop.abort()
  }
  const onAbort = () => stop.abort()
  const clock = setTimeout(onTimeout, within)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: stop.signal,
    aborted: () => signal?.aborted === true,
    timedOut: () => isLate,
    heard: () => void clock.refresh(),
    /** Aborts the connection for every caller that is still waiting. */
    stop: onAbort,
    end: () => {
      clearTimeout(clock)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
