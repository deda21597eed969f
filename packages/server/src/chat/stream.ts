import type { Streamed } from '@panoptes/engine/chat'
import type { ChatEvent } from '@panoptes/schema'
import { backpressureResponse } from '../backpressure-stream.ts'

/**
 * Streams a run as server-sent events. A client that disconnects only stops reading: the run belongs to the server.
 */
export function chatStream({ run_id, events }: Streamed, everyMs = HEARTBEAT_MS): Response {
  const stop = new AbortController()
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-panoptes-run-id': run_id,
    'x-accel-buffering': 'no',
  }
  return backpressureResponse(
    { headers, stop, keepAlive: { text: ': heartbeat\n\n', everyMs } },
    async (write) => {
      for await (const event of events(stop.signal)) await write(toFrame(event))
    },
  )
}

const HEARTBEAT_MS = 15_000

const toFrame = ({ event, data }: ChatEvent): string =>
  `id: ${data.run_id}:${data.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
