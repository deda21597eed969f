import { pause } from '@panoptes/engine/abortable'
import { countDay, generateDay } from '@panoptes/engine/demo'
import type { Counters, EventInput, IngestReply } from '@panoptes/schema'
import type { Client } from '../daemon/client.ts'

export interface PlayOptions {
  readonly seed: number
  readonly events: number
  /** The speed factor. Infinity plays as fast as possible. */
  readonly speed: number
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

export interface PlayResult {
  readonly events: number
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: number
  readonly tookMs: number
  /** The counters of the generator. */
  readonly counters: Counters
}

const BATCH = 1_000
/** Events due within one frame are sent together. */
const FRAME_MS = 50

/** Plays a day through `POST /events` in order. Each batch waits for the reply to the previous one. */
export async function play(client: Client, options: PlayOptions): Promise<PlayResult> {
  const { seed, events, speed, signal, onProgress } = options
  const day = countDay()
  const sum = { accepted: 0, duplicates: 0, rejected: 0 }
  const began = performance.now()
  let sent = 0
  const send = async (batch: readonly EventInput[]): Promise<void> => {
    const reply = await client.json<IngestReply>('/events', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: batch.map((event) => JSON.stringify(event)).join('\n'),
    })
    sum.accepted += reply.accepted
    sum.duplicates += reply.duplicates
    sum.rejected += reply.rejected.length
    sent += batch.length
    for (const event of batch) day.add(event)
    onProgress(sent, events)
  }
  for await (const batch of batches(generateDay({ seed, events }), speed, signal)) {
    await send(batch)
    if (signal.aborted) break
  }
  return { ...sum, events: sent, tookMs: performance.now() - began, counters: day.counters() }
}

/**
 * At a finite speed, events are sent when they are due, with the current time and shortened durations, so
 * that the page shows them live. At full speed they keep their original times, so that two runs are
 * byte-identical.
 */
async function* batches(
  day: Iterable<EventInput>,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<readonly EventInput[]> {
  const wall = Date.now()
  let zero: number | undefined
  let batch: EventInput[] = []
  for (const event of day) {
    if (signal.aborted) return
    if (Number.isFinite(speed)) {
      const ts = Number(event.ts)
      zero ??= ts
      const due = Math.round(wall + (ts - zero) / speed)
      if (due > Date.now() + FRAME_MS) {
        if (batch.length > 0) yield batch
        batch = []
        await pause(Math.max(0, due - Date.now()), signal)
      }
      batch.push({ ...event, ts: due, ...scaleDuration(event, speed) })
    } else batch.push(event)
    if (batch.length >= BATCH) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0 && !signal.aborted) yield batch
}

const scaleDuration = ({ duration_ms }: EventInput, speed: number): { readonly duration_ms?: number } =>
  typeof duration_ms === 'number' ? { duration_ms: Math.round(duration_ms / speed) } : {}
