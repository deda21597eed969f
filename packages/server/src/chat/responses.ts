import type { RunStream } from '@panoptes/engine/chat'
import type { ChatEvent, Failure, Result } from '@panoptes/schema'
import { backpressureResponse } from '../backpressure-stream.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { json, type Reply } from '../route.ts'

export const answer = <T>(result: Result<T>): Reply => (result.ok ? json(result.value) : refusal(result))

/** A message that arrives during an answer is refused with a hint that the answer can be stopped. */
export const refusal = (failed: Failure): Refusal =>
  failed.code === 'busy'
    ? {
        status: 409,
        code: 'busy',
        title: 'Being answered',
        detail: failed.message,
        next: 'Wait for the answer to finish, or stop it with POST …/cancel.',
      }
    : toRefusal(failed)

/**
 * Streams a run as server-sent events. A client that disconnects only stops reading: the run belongs to the server.
 */
export function chatStream({ run_id, events }: RunStream, everyMs = HEARTBEAT_MS): Response {
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
