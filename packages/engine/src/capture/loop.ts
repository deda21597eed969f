/** Runs work again when it was requested during a run, and never concurrently. */
export interface Loop {
  readonly wake: () => void
  /** Resolves when the current run has ended. No run starts after it. */
  readonly stop: () => Promise<void>
  readonly stopped: () => boolean
}

export function createLoop(work: () => Promise<void>, failed: (error: unknown) => void): Loop {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false

  const run = async () => {
    do {
      again = false
      await work().catch(failed)
    } while (again && !stopped)
    running = undefined
  }

  return {
    wake: () => {
      if (stopped) return
      if (running) again = true
      else running = run()
    },
    stop: async () => {
      stopped = true
      await running
    },
    stopped: () => stopped,
  }
}
