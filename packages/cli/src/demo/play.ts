import { setTimeout as wait } from 'node:timers/promises'
import { countDay, generateDay } from '@panoptes/engine/demo'
import type { Counters, EventInput, IngestReply } from '@panoptes/schema'
import type { Client } from '../daemon/client.ts'

export interface PlayOptions {
  readonly seed: number
  readonly events: number
  /** Times faster than life; infinity for as fast as it goes. */
  readonly speed: number
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

export interface Played {
  readonly events: number
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: number
  readonly tookMs: number
  /** What the generator counted on its own. */
  readonly counters: Counters
}

const BATCH = 1_000
/** Events due within one frame go out together. */
const FRAME_MS = 50

/** Plays a day through `POST /events`, in order, each batch after the answer to the one before. */
export async function play(client: Client, options: PlayOptions): Promise<Played> {
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
 * At a finite speed an event goes out when its moment has come, and carries that moment: the page then shows it as
 * something that happens now. At full speed the day keeps its own times, so that two plays are the same to the byte.
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
        await wait(Math.max(0, due - Date.now()), undefined, { signal }).catch(() => undefined)
      }
      batch.push({ ...event, ts: due })
    } else batch.push(event)
    if (batch.length >= BATCH) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0 && !signal.aborted) yield batch
}
