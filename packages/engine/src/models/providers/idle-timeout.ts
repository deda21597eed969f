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
  const late = () => {
    isLate = true
    stop.abort()
  }
  const leave = () => stop.abort()
  const clock = setTimeout(late, within)
  if (signal?.aborted) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  return {
    signal: stop.signal,
    aborted: () => signal?.aborted === true,
    timedOut: () => isLate,
    heard: () => void clock.refresh(),
    /** Aborts the connection for every caller that is still waiting. */
    stop: leave,
    end: () => {
      clearTimeout(clock)
      signal?.removeEventListener('abort', leave)
    },
  }
}
