import type { IncomingMessage } from 'node:http'
import type { MoaRunPart, Result } from '@panoptes/schema'
import { backpressureResponse } from './backpressure-stream.ts'
import { toRefusal } from './problem.ts'
import { NDJSON_TYPE, type Reply } from './route.ts'

type Started = Result<AsyncIterable<MoaRunPart>>

/** Streams a turn as lines of JSON. Disconnecting aborts every call; their usage until then is recorded. */
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
    return toRefusal(started)
  }
  return backpressureResponse({ stop, headers: { 'content-type': NDJSON_TYPE } }, async (write) => {
    try {
      // The parts are read to their end even after the client left, so that their usage is recorded.
      for await (const part of started.value) await write(`${JSON.stringify(part)}\n`)
    } finally {
      socket.off('close', leave)
    }
  })
}
