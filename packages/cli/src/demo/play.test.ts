import type { EventInput } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { Client } from '../daemon/client.ts'
import { play } from './play.ts'

/** Plays to a client that discards everything, and returns what was sent. */
async function played(speed: number): Promise<readonly EventInput[]> {
  const sent: EventInput[] = []
  const json = async (_path: string, { body }: { readonly body: string }) => {
    const events = body.split('\n').map((line) => JSON.parse(line) as EventInput)
    sent.push(...events)
    return { accepted: events.length, duplicates: 0, rejected: [] }
  }
  const signal = new AbortController().signal
  const options = { seed: 7, events: 400, speed, signal, onProgress: () => {} }
  await play({ json } as unknown as Client, options)
  return sent
}

/** How much longer the tool calls claim to take than the time between their start and end. */
function excess(events: readonly EventInput[]): number {
  const begun = new Map(events.flatMap((one) => (one.event === 'tool_use' ? [[one.id, Number(one.ts)]] : [])))
  const over = events.flatMap(({ event, id, ts, duration_ms }) => {
    const since = begun.get(id)
    return event === 'tool_done' && since !== undefined ? [Number(duration_ms) - (Number(ts) - since)] : []
  })
  expect(over.length).toBeGreaterThan(20)
  return Math.max(...over)
}

it('shortens the durations of tool calls when it plays faster', async () => {
  expect(excess(await played(100_000))).toBeLessThanOrEqual(2)
  expect(excess(await played(Number.POSITIVE_INFINITY))).toBeLessThanOrEqual(0)
})
