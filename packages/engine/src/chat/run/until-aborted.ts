/** What a runtime may take to end by itself once it is stopped. */
const GRACE_MS = 120

/** The events of a runtime; one that does not end soon after it was stopped is not waited for. */
export async function* untilAborted<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const reading = events[Symbol.asyncIterator]()
  const left = Promise.withResolvers<{ readonly done: true; readonly value: undefined }>()
  let clock: NodeJS.Timeout | undefined
  const stop = () => {
    clock = setTimeout(() => left.resolve({ done: true, value: undefined }), GRACE_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for (;;) {
      const next = await Promise.race([reading.next(), left.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    clearTimeout(clock)
    signal.removeEventListener('abort', stop)
    // Whoever is left behind ends when it can; nobody waits for it.
    reading.return?.()?.catch(() => {})
  }
}
