/** Bytes that may be buffered for a client that reads slowly. */
const MOST_WAITING = 1_048_576

/** Text of this many characters is flushed at once. */
const AT_ONCE = 65_536

export interface Connection {
  readonly headers: Readonly<Record<string, string>>
  readonly stop: AbortController
  /** Text that is sent from time to time, so that proxies and clients do not give up on the connection. */
  readonly keepAlive?: { readonly text: string; readonly everyMs: number } | undefined
}

/** Writes text. If the buffer is full, the returned promise resolves when there is space again. */
export type Write = (text: string) => Promise<void> | undefined

/** Streams an answer. A client that disconnects aborts the work, and one that reads slowly slows it down. */
export function backpressureResponse(
  { headers, stop, keepAlive }: Connection,
  writeAll: (write: Write) => Promise<void>,
): Response {
  const encoder = new TextEncoder()
  let room = Promise.withResolvers<void>()
  const makeRoom = () => {
    room.resolve()
    room = Promise.withResolvers<void>()
  }
  const source = {
    start: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      let isOpen = !stop.signal.aborted
      let waiting = ''
      const isFull = () => (controller.desiredSize ?? 1) <= 0
      const flush = () => {
        const text = waiting
        waiting = ''
        if (!isOpen || text === '') return
        try {
          controller.enqueue(encoder.encode(text))
        } catch {
          isOpen = false
          stop.abort()
        }
      }
      // Text that arrives in the same tick is sent together, since each chunk costs a system call.
      const write: Write = (text) => {
        if (waiting === '') setImmediate(flush)
        waiting += text
        if (waiting.length >= AT_ONCE) flush()
        return isOpen && isFull() ? room.promise : undefined
      }
      // A client with buffered data to read needs no keep-alive.
      const clock = keepAlive && setInterval(() => isFull() || write(keepAlive.text), keepAlive.everyMs)
      stop.signal.addEventListener('abort', () => {
        isOpen = false
        makeRoom()
      })
      try {
        await writeAll(write)
      } catch {
        stop.abort()
        controller.error(new Error('The response was cut off.'))
      } finally {
        clearInterval(clock)
        flush()
        if (isOpen) controller.close()
      }
    },
    pull: makeRoom,
    cancel: () => stop.abort(),
  }
  const body = new ReadableStream<Uint8Array>(
    { ...source, start: (controller) => void source.start(controller) },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  )
  return new Response(body, { headers: { 'cache-control': 'no-cache', ...headers } })
}
