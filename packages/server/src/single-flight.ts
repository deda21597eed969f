/** Caches a result for a short time, and runs one request however many callers wait. */
export interface Shared<T> {
  readonly get: () => Promise<{ readonly at: number; readonly value: T }>
  readonly renew: () => Promise<{ readonly at: number; readonly value: T }>
}

export function createShared<T>(ask: () => Promise<T>, freshMs: number): Shared<T> {
  let running: Promise<{ at: number; value: T }> | undefined
  let last: { at: number; value: T } | undefined
  const renew = () => {
    running ??= ask()
      .then((value) => {
        last = { at: Date.now(), value }
        return last
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
  return {
    renew,
    get: () => (last && Date.now() - last.at < freshMs ? Promise.resolve(last) : renew()),
  }
}

/** Runs the action once. Later calls get the promise of the first. */
export function once<T>(act: () => Promise<T>): () => Promise<T> {
  let acting: Promise<T> | undefined
  return () => {
    acting ??= act()
    return acting
  }
}
