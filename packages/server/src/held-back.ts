/** Bytes that may wait for a client that reads slowly. */
const MOST_WAITING = 1_048_576

/** Characters that are handed on at once. */
const AT_ONCE = 65_536

export interface Connection {
  readonly headers: Readonly<Record<string, string>>
  readonly stop: AbortController
  /** What is written now and then, so that nobody takes the connection for dead. */
  readonly keepAlive?: { readonly text: string; readonly everyMs: number } | undefined
}

/** Takes a text; where too much waits already, it answers when there is room again. */
export type Write = (text: string) => Promise<void> | undefined

/** An answer piece by piece, until all is written. A client that leaves stops every call; one that does not read holds back what it asked for. */
export function heldBackAnswer(
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
      // What came at once goes on at once: each piece alone would be a call of the system.
      const write: Write = (text) => {
        if (waiting === '') setImmediate(flush)
        waiting += text
        if (waiting.length >= AT_ONCE) flush()
        return isOpen && isFull() ? room.promise : undefined
      }
      // Whoever has enough to read needs no sign of life.
      const clock = keepAlive && setInterval(() => isFull() || write(keepAlive.text), keepAlive.everyMs)
      stop.signal.addEventListener('abort', () => {
        isOpen = false
        makeRoom()
      })
      try {
        await writeAll(write)
      } catch {
        stop.abort()
        controller.error(new Error('The answer broke off.'))
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
