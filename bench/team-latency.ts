import { setTimeout } from 'node:timers/promises'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { openReader, type Reader } from './live-socket.ts'
import type { Row } from './report.ts'
import { median, quantile, round } from './statistics.ts'
import { type Hub, startTeam, type Team, type Under } from './team-hubs.ts'

const HUBS = 3
const CLIENTS = 2
const RATE = 2_000
const BATCH = 10
const MARK = '"mark":"'

interface Round {
  readonly p50: number
  readonly p99: number
  readonly seen: number
}

export interface Latencies {
  readonly rows: readonly Row[]
  readonly p99: { readonly alone: number; readonly bus: number }
  /** Whether every client received every event in every round. */
  readonly isWhole: boolean
}

/** Measures the time from the post of an event on one of three hubs to its frame on a client of each hub. */
export async function latency(under: Under, quick: boolean): Promise<Latencies> {
  const seconds = quick ? 1 : 8
  const rounds = quick ? 1 : 5
  const alone = await startTeam(under, HUBS, false)
  const bus = await startTeam(under, HUBS, true)
  const measured = { alone: [] as Round[], bus: [] as Round[] }
  try {
    await posting(alone, 1)
    await posting(bus, 1)
    for (let n = 0; n < rounds; n += 1)
      for (const name of n % 2 === 0 ? (['alone', 'bus'] as const) : (['bus', 'alone'] as const))
        measured[name].push(await posting(name === 'bus' ? bus : alone, seconds))
  } finally {
    await Promise.all([alone.stop(), bus.stop()])
  }
  const all = RATE * seconds * HUBS * CLIENTS
  const isWhole = [...measured.alone, ...measured.bus].every(({ seen }) => seen === all)
  const row = (how: string, list: readonly Round[]): Row => ({
    how,
    'events/s': RATE,
    'p50, ms': round(median(list.map(({ p50 }) => p50))),
    'p99, ms': round(median(list.map(({ p99 }) => p99))),
    'worst p99, ms': round(Math.max(...list.map(({ p99 }) => p99))),
    'frames of all': round(median(list.map(({ seen }) => seen)) / all),
  })
  return {
    rows: [row('by notification and tail', measured.alone), row('by the bus', measured.bus)],
    p99: {
      alone: round(median(measured.alone.map(({ p99 }) => p99))),
      bus: round(median(measured.bus.map(({ p99 }) => p99))),
    },
    isWhole,
  }
}

let turns = 0

/**
 * Posts at an even pace to all hubs in turn without waiting for replies. Each event contains its time of
 * posting.
 */
async function posting({ hubs }: Team, seconds: number): Promise<Round> {
  turns += 1
  const events = [...generateNewEvents({ seed: turns, events: RATE * seconds, start: Date.now() })]
  const waits: number[] = []
  const clients = await Promise.all(
    hubs.flatMap((hub) => Array.from({ length: CLIENTS }, () => listen(hub, waits))),
  )
  const posts: Promise<void>[] = []
  const began = performance.now()
  for (let at = 0; at < events.length; at += BATCH) {
    const due = began + (at / RATE) * 1_000
    const early = due - performance.now()
    if (early > 1) await setTimeout(early)
    const hub = hubs[(at / BATCH) % hubs.length]
    if (hub) posts.push(hub.post(marked(events.slice(at, at + BATCH))))
    posts.at(-1)?.catch(() => undefined)
  }
  await Promise.all(posts)
  const all = events.length * clients.length
  for (const end = performance.now() + 15_000; waits.length < all && performance.now() < end; )
    await setTimeout(20)
  for (const client of clients) client.close()
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), seen: waits.length }
}

const marked = (events: readonly NewEvent[]): string => {
  const mark = performance.now().toFixed(2)
  return events.map((event) => JSON.stringify({ ...event, key: `${event.key}#${turns}`, mark })).join('\n')
}

async function listen({ port, token }: Hub, waits: number[]): Promise<Reader> {
  const greeted = Promise.withResolvers<void>()
  const reader = await openReader({ port, token, path: '/stream?batch=1' }, (text) => {
    greeted.resolve()
    const now = performance.now()
    for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + 1)) {
      const from = at + MARK.length
      waits.push(now - Number(text.toString('latin1', from, text.indexOf('"', from))))
    }
  })
  await greeted.promise
  return reader
}
