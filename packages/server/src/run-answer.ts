import type { IncomingMessage } from 'node:http'
import type { MoaRunPart, Result } from '@panoptes/schema'
import { refusalOf } from './problem.ts'
import { NDJSON_TYPE, type Reply } from './route.ts'

type Started = Result<AsyncIterable<MoaRunPart>>

/** A turn as lines of JSON, each when it happens. Who hangs up stops every call; what it took until then is kept. */
export async function runAnswer(
  { socket }: IncomingMessage,
  begin: (signal: AbortSignal) => Started | Promise<Started>,
): Promise<Reply> {
  const stop = new AbortController()
  const leave = () => stop.abort()
  socket.once('close', leave)
  if (socket.destroyed) leave()
  const started = await begin(stop.signal)
  if (!started.ok) {
    socket.off('close', leave)
    return refusalOf(started)
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      try {
        for await (const part of started.value)
          if (!stop.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(part)}\n`))
        if (!stop.signal.aborted) controller.close()
      } finally {
        socket.off('close', leave)
      }
    },
    cancel: leave,
  })
  return new Response(body, { headers: { 'content-type': NDJSON_TYPE, 'cache-control': 'no-cache' } })
}
