/** The longest that a timer can be set for. */
const LONGEST_MS = 2_147_483_647

/** A signal that also ends when nothing came for too long; each sign of life starts the clock anew. */
export function createPatience(signal: AbortSignal | undefined, ms: number) {
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
    /** Closes the connection, whoever still waits. */
    stop: leave,
    end: () => {
      clearTimeout(clock)
      signal?.removeEventListener('abort', leave)
    },
  }
}
