/** A signal that also ends when nothing came for too long; each sign of life starts the clock anew. */
export function createPatience(signal: AbortSignal | undefined, ms: number | undefined) {
  const stop = new AbortController()
  let isLate = false
  const late = () => {
    isLate = true
    stop.abort()
  }
  const leave = () => stop.abort()
  let clock = ms === undefined ? undefined : setTimeout(late, ms)
  if (signal?.aborted) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  return {
    signal: stop.signal,
    aborted: () => signal?.aborted === true,
    timedOut: () => isLate,
    heard: () => {
      if (ms === undefined) return
      clearTimeout(clock)
      clock = setTimeout(late, ms)
    },
    end: () => {
      clearTimeout(clock)
      signal?.removeEventListener('abort', leave)
    },
  }
}
