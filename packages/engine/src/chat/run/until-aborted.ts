/** How long a stopped runtime may take to end by itself. */
const GRACE_MS = 120

type Next<T> = IteratorResult<T, unknown>

/**
 * Streams a runtime's events, and abandons a runtime that does not end soon after it was aborted.
 */
export async function* streamUntilAborted<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const reading = events[Symbol.asyncIterator]()
  let clock: NodeJS.Timeout | undefined
  let isLeft = false
  let abandon = () => {}
  const stop = () => {
    clock = setTimeout(() => {
      isLeft = true
      abandon()
    }, GRACE_MS)
  }
  const next = () =>
    new Promise<Next<T>>((resolve, failed) => {
      abandon = () => resolve({ done: true, value: undefined })
      if (isLeft) abandon()
      else reading.next().then(resolve, failed)
    })
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for (;;) {
      const event = await next()
      if (event.done) return
      yield event.value
    }
  } finally {
    clearTimeout(clock)
    signal.removeEventListener('abort', stop)
    // The abandoned runtime ends when it can; nothing waits for it.
    reading.return?.()?.then(undefined, () => {})
  }
}
