import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { generateNewEvents } from '@panoptes/engine/demo'
import { postEvents } from './post-events.ts'
import { fitted, type Load } from './sizing-model.ts'
import { quantile } from './statistics.ts'

export interface Target {
  readonly port: number
  readonly token: string
}

/** Reads the current totals of processor seconds and bytes. */
export type Meters = () => Promise<Readonly<Record<string, number>>>

/** A linear cost for each meter: per batch, and per event in it. */
export interface Cost {
  readonly wall: readonly [batch: number, event: number]
  readonly meters: Readonly<Record<string, readonly [batch: number, event: number]>>
  readonly points: readonly { readonly batch: number; readonly ms: number }[]
}

let turns = 0

/** Creates events that no store contains yet. */
function fresh(count: number): readonly object[] {
  turns += 1
  return [...generateNewEvents({ seed: turns, events: count })].map((event) => ({
    ...event,
    key: `${event.key}#${turns}`,
  }))
}

/** Measures consecutive batches of each size with the given function. */
export async function costOf(
  sizes: readonly (readonly [batch: number, events: number])[],
  meters: Meters,
  take: (events: readonly object[]) => Promise<void>,
): Promise<Cost> {
  const points: { batch: number; ms: number }[] = []
  const used: Record<string, [number, number][]> = {}
  for (let n = 0; n < WARM; n += 1) await take(fresh(20))
  const idle = await idleOf(meters)
  for (const [batch, count] of sizes) {
    const events = fresh(count)
    const took: number[] = []
    const before = await meters()
    const since = performance.now()
    for (let at = 0; at < events.length; at += batch) {
      const began = performance.now()
      await take(events.slice(at, at + batch))
      took.push(performance.now() - began)
    }
    const after = await meters()
    const seconds = (performance.now() - since) / 1_000
    const batches = Math.ceil(count / batch)
    // On a shared machine, the fastest tenth is the best estimate of the work itself.
    points.push({ batch, ms: quantile(took, 0.1) })
    for (const [name, value] of Object.entries(after)) {
      used[name] ??= []
      const own = value - (before[name] ?? 0) - (idle[name] ?? 0) * seconds
      used[name].push([batch, Math.max(0, own) / batches])
    }
  }
  return {
    wall: fitted(points.map(({ batch, ms }) => [batch, ms / 1_000])),
    meters: Object.fromEntries(Object.entries(used).map(([name, all]) => [name, fitted(all)])),
    points,
  }
}

const WARM = 20
const WINDOWS = 4
const WINDOW_MS = 1_000

/**
 * Measures the usage per second while nothing is sent, as the minimum of several seconds. It belongs to no
 * event.
 */
async function idleOf(meters: Meters): Promise<Readonly<Record<string, number>>> {
  const least: Record<string, number> = {}
  for (let n = 0; n < WINDOWS; n += 1) {
    const before = await meters()
    const since = performance.now()
    await setTimeout(WINDOW_MS)
    const seconds = (performance.now() - since) / 1_000
    for (const [name, value] of Object.entries(await meters())) {
      const used = (value - (before[name] ?? 0)) / seconds
      least[name] = Math.min(least[name] ?? used, used)
    }
  }
  return least
}

/** The number of simultaneous requests, and the number of events in each. */
const TOGETHER = 32
const SMALL = 10

/**
 * Returns the seconds of the batch cost that belong to each request instead of the shared commit. Many small
 * simultaneous requests cost that each, plus their events and their share of a commit.
 */
export async function requestOf(
  take: (events: readonly object[]) => Promise<void>,
  [batch, event]: readonly [batch: number, event: number],
  count: number,
): Promise<number> {
  const events = fresh(count)
  let at = 0
  const began = performance.now()
  const send = async () => {
    while (at < events.length) {
      const from = at
      at += SMALL
      await take(events.slice(from, at))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, send))
  const each = ((performance.now() - began) / 1_000 / count) * SMALL
  const own = (each - SMALL * event - batch / TOGETHER) / (1 - 1 / TOGETHER)
  return Math.min(batch, Math.max(0, own))
}

/** Sends events as a forwarder does. */
export function poster({ port, token }: Target): (events: readonly object[]) => Promise<void> {
  const agent = new Agent({ keepAlive: true })
  return (events) =>
    postEvents({ port, token, agent }, gzipSync(events.map((event) => JSON.stringify(event)).join('\n')))
}

/**
 * Simulates many senders at a given rate with one batch at a time, as in the model. Returns the response
 * times in seconds.
 */
export async function sent(
  target: Target,
  load: Load,
  seconds: number,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const share = load.rate / load.senders
  const waits: number[] = []
  const end = performance.now() + seconds * 1_000
  const events = [...fresh(Math.ceil(load.rate * seconds * 1.5) + load.senders)]
  const send = async () => {
    const post = poster(target)
    const until = () => (-Math.log(1 - Math.random()) / share) * 1_000
    let arrival = performance.now() + until()
    while (performance.now() < end) {
      await setTimeout(Math.max(0, arrival - performance.now()))
      const began = performance.now()
      let came = 0
      for (; arrival <= began || came === 0; arrival += until()) came += 1
      await post(events.splice(0, Math.min(load.batch, came)))
      waits.push((performance.now() - began) / 1_000)
      await setTimeout(load.gap * 1_000)
    }
  }
  await Promise.all(Array.from({ length: load.senders }, send))
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }
}
