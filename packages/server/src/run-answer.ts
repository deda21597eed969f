import type { IncomingMessage } from 'node:http'
import type { MoaRunPart, Result } from '@panoptes/schema'
import { heldBackAnswer } from './held-back.ts'
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
  return heldBackAnswer({ stop, headers: { 'content-type': NDJSON_TYPE } }, async (write) => {
    try {
      // Also when nobody listens any more it is read to its end, so that what it took is kept.
      for await (const part of started.value) await write(`${JSON.stringify(part)}\n`)
    } finally {
      socket.off('close', leave)
    }
  })
}
