/** Lets callers wait for news until their signal aborts. */
export class Wakeups {
  readonly #waiting = new Set<() => void>()

  get size(): number {
    return this.#waiting.size
  }

  /** Resolves with the next `wake`, or when the signal aborts. */
  next(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        ended.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      ended.addEventListener('abort', done)
      if (ended.aborted) done()
    })
  }

  wake(): void {
    for (const waker of [...this.#waiting]) waker()
  }
}
