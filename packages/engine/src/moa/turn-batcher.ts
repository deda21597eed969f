export interface Together<T> {
  readonly put: (...items: readonly T[]) => void
  /** Resolves when every item has been flushed and taken. */
  readonly settled: () => Promise<void>
}

const MOMENT_MS = 10
const MOST = 500

/**
 * Collects items for a moment and passes them on as one batch, because a batch costs about as much
 * as a single item. Callers do not wait for it.
 */
export function together<T>(hand: (items: readonly T[]) => unknown, ms: number = MOMENT_MS): Together<T> {
  let waiting: T[] = []
  let clock: NodeJS.Timeout | undefined
  let handed: Promise<unknown> = Promise.resolve()
  const flush = () => {
    clearTimeout(clock)
    clock = undefined
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    handed = Promise.allSettled([handed, hand(items)]).then(() => undefined)
  }
  return {
    put: (...items) => {
      waiting.push(...items)
      if (waiting.length >= MOST) flush()
      else clock ??= setTimeout(flush, ms)
    },
    settled: async () => {
      flush()
      await handed
    },
  }
}
