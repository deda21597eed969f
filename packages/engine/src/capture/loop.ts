/** When work that failed is tried again. */
export const RETRY_MS = 1_000

/** Runs work again when it was requested during a run, and never concurrently. Failed work is retried. */
export interface Loop {
  readonly wake: () => void
  /** Runs the work after this time, unless it runs before. */
  readonly wakeLater: (ms: number) => void
  /** Resolves when the current run has ended. No run starts after it. */
  readonly stop: () => Promise<void>
  readonly stopped: () => boolean
}

export function createLoop(work: () => Promise<void>, failed: (error: unknown) => void): Loop {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const run = async () => {
    do {
      again = false
      clearTimeout(timer)
      await work().catch((error: unknown) => {
        failed(error)
        wakeLater(RETRY_MS)
      })
    } while (again && !stopped)
    running = undefined
  }
  const wake = () => {
    if (stopped) return
    if (running) again = true
    else running = run()
  }
  const wakeLater = (ms: number) => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(wake, ms).unref()
  }

  return {
    wake,
    wakeLater,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
    stopped: () => stopped,
  }
}
