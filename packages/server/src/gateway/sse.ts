const KEEP_ALIVE_MS = 15_000

interface Connection {
  readonly headers: Readonly<Record<string, string>>
  readonly stop: AbortController
}

/** An answer piece by piece, until all is written. A client that leaves stops every call. */
export function sseAnswer(
  { headers, stop }: Connection,
  writeAll: (write: (text: string) => void) => Promise<void>,
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      let isOpen = true
      let waiting = ''
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
      const write = (text: string) => {
        if (waiting === '') setImmediate(flush)
        waiting += text
      }
      const clock = setInterval(() => write(': keep-alive\n\n'), KEEP_ALIVE_MS)
      stop.signal.addEventListener('abort', () => {
        isOpen = false
      })
      await writeAll(write)
      clearInterval(clock)
      flush()
      if (isOpen) controller.close()
    },
    cancel: () => stop.abort(),
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
  })
}

/** Progress comes in comments, which clients pass over. */
export const comment = ({ name, data }: { readonly name: string; readonly data: object }): string =>
  `: ${name} ${JSON.stringify(data)}\n\n`
