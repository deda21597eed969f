import type { Streamed } from '@panoptes/engine/chat'
import type { ChatEvent } from '@panoptes/schema'
import { heldBackAnswer } from '../held-back.ts'

/** A run as server-sent events. Whoever leaves stops reading and nothing else: the run belongs to the server. */
export function chatStream({ run_id, events }: Streamed, everyMs = HEARTBEAT_MS): Response {
  const stop = new AbortController()
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-panoptes-run-id': run_id,
    'x-accel-buffering': 'no',
  }
  return heldBackAnswer({ headers, stop, keepAlive: { text: ': heartbeat\n\n', everyMs } }, async (write) => {
    for await (const event of events(stop.signal)) await write(frameOf(event))
  })
}

const HEARTBEAT_MS = 15_000

const frameOf = ({ event, data }: ChatEvent): string =>
  `id: ${data.run_id}:${data.seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
