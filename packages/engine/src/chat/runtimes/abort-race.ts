/**
 * Resolves with the promise's value, or with null on abort or timeout. A later rejection of the
 * abandoned promise is ignored.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal, ms?: number): Promise<T | null> {
  work.catch(() => {})
  if (signal.aborted) return Promise.resolve(null)
  return new Promise((done, fail) => {
    const stop = () => end(() => done(null))
    const clock = ms === undefined ? undefined : setTimeout(stop, ms)
    const end = (then: () => void) => {
      clearTimeout(clock)
      signal.removeEventListener('abort', stop)
      then()
    }
    signal.addEventListener('abort', stop, { once: true })
    work.then(
      (value) => end(() => done(value)),
      (error: unknown) => end(() => fail(error)),
    )
  })
}
