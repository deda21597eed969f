import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
/** Programs that collect metrics ask at least this often. */
const UNREAD_MS = 300_000

/**
 * Measures how late timers run, while somebody reads it: measuring wakes the process fifty times a second.
 */
export interface LoopDelay {
  /** Returns the 99th percentile in seconds; undefined when the measurement has only just begun. */
  readonly readP99: () => number | undefined
  readonly stop: () => void
}

export function createLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let unread: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(unread)
    unread = undefined
    delays.disable()
  }
  return {
    readP99: () => {
      const isFirst = unread === undefined
      clearTimeout(unread)
      unread = setTimeout(stop, UNREAD_MS).unref()
      if (!isFirst) return delays.percentile(99) / 1e9
      delays.reset()
      delays.enable()
      return undefined
    },
    stop,
  }
}
