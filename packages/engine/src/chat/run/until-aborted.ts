/** What a runtime may take to end by itself once it is stopped. */
const GRACE_MS = 120

type Next<T> = IteratorResult<T, unknown>

/** The events of a runtime; one that does not end soon after it was stopped is not waited for. */
export async function* untilAborted<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const reading = events[Symbol.asyncIterator]()
  let clock: NodeJS.Timeout | undefined
  let isLeft = false
  let leave = () => {}
  const stop = () => {
    clock = setTimeout(() => {
      isLeft = true
      leave()
    }, GRACE_MS)
  }
  const next = () =>
    new Promise<Next<T>>((told, failed) => {
      leave = () => told({ done: true, value: undefined })
      if (isLeft) leave()
      else reading.next().then(told, failed)
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
    // Whoever is left behind ends when it can; nobody waits for it.
    reading.return?.()?.then(undefined, () => {})
  }
}
