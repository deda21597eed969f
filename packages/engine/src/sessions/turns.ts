/**
 * Runs work concurrently, except for exclusive work, which first interrupts the others and delays new work.
 */
interface Turns {
  /** `stop` aborts when exclusive work is waiting. */
  readonly beside: <T>(work: (stop: AbortController) => Promise<T>) => Promise<T>
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

export function createTurns(): Turns {
  const running = new Map<AbortController, Promise<unknown>>()
  let turn: Promise<unknown> = Promise.resolve()
  return {
    beside: async (work) => {
      await turn
      const stop = new AbortController()
      const own = work(stop)
      running.set(stop, own)
      try {
        return await own
      } finally {
        running.delete(stop)
      }
    },
    alone: (work) => {
      const own = turn.then(async () => {
        for (const stop of running.keys()) stop.abort()
        await Promise.allSettled(running.values())
        return work()
      })
      turn = own.catch(() => undefined)
      return own
    },
  }
}
