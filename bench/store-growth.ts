import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openSqliteStore } from '@panoptes/engine/store'
import type { NewEvent, Result } from '@panoptes/schema'
import { median, quantile, round } from './statistics.ts'
import { openFloor } from './store-baseline.ts'

const BATCH = 1_000
const WINDOWS = 5

/** The measurements at one size. */
export interface Stage {
  readonly events: number
  readonly append_us: number
  readonly reads: readonly Latency[]
  readonly peak_mb: number
}

interface Latency {
  readonly read: string
  readonly p50_ms: number
  readonly p95_ms: number
}

/** One way to store events: the event store or a bare table. */
interface Store {
  readonly append: (events: readonly NewEvent[]) => unknown
  readonly newest: (limit: number) => unknown
  readonly after: (seq: number, limit: number) => unknown
  readonly ofSession: (session: string, limit: number) => unknown
  readonly close: () => unknown
}

function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.message)
}

async function storeIn(file: string): Promise<Store> {
  const store = orThrow(await openSqliteStore(file))
  return {
    append: async (events) => orThrow(await store.append(events)),
    newest: async (limit) => orThrow(await store.read({ before: Number.MAX_SAFE_INTEGER, limit })),
    after: async (seq, limit) => orThrow(await store.read({ after: seq, limit })),
    ofSession: async (session, limit) => orThrow(await store.read({ after: 0, limit }, { session })),
    close: () => store.close(),
  }
}

async function floorIn(file: string): Promise<Store> {
  const { insert, close } = await openFloor(file)
  const db = new DatabaseSync(file, { readOnly: true })
  const newest = db.prepare('SELECT seq, body FROM events ORDER BY seq DESC LIMIT ?')
  const after = db.prepare('SELECT seq, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  const ofSession = db.prepare('SELECT seq, body FROM events WHERE session_id = ? ORDER BY seq LIMIT ?')
  return {
    append: insert,
    newest: (limit) => newest.all(limit),
    after: (seq, limit) => after.all(seq, limit),
    ofSession: (session, limit) => ofSession.all(session, limit),
    close: () => {
      db.close()
      close()
    },
  }
}

/** Fills a store up to the requested sizes, and measures appends and reads at each of them. */
async function grow(store: Store, count: number, window: number, sizes: readonly number[]): Promise<Stage[]> {
  const day = generateNewEvents({ seed: 1, events: Number.MAX_SAFE_INTEGER })
  const stages: Stage[] = []
  let last = 0
  let session = ''
  const add = async (count: number): Promise<number> => {
    const batch = Array.from({ length: count }, () => day.next().value as NewEvent)
    session = batch[0]?.session_id ?? session
    const start = performance.now()
    await store.append(batch)
    last += count
    return performance.now() - start
  }
  for (const size of sizes) {
    while (last < size) await add(Math.min(BATCH, size - last))
    const costs: number[] = []
    for (let n = 0; n < WINDOWS; n += 1) {
      let spent = 0
      for (let left = window; left > 0; left -= BATCH) spent += await add(Math.min(BATCH, left))
      costs.push((spent * 1_000) / window)
    }
    const anywhere = (n: number): number => Math.floor(((n * 0.618_034) % 1) * Math.max(1, last - 1_000))
    const reads = [
      await latency('newest 100', count, () => store.newest(100)),
      await latency('the last 100, upwards', count, () => store.after(last - 100, 100)),
      await latency('1,000 anywhere', count, (n) => store.after(anywhere(n), 1_000)),
      await latency('first 100 of a session', count, () => store.ofSession(session, 100)),
    ]
    const peak = Math.round(process.resourceUsage().maxRSS / 1_024)
    stages.push({ events: size, append_us: round(median(costs)), reads, peak_mb: peak })
  }
  return stages
}

async function latency(read: string, count: number, ask: (n: number) => unknown): Promise<Latency> {
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    const start = performance.now()
    await ask(n)
    times.push(performance.now() - start)
  }
  return { read, p50_ms: round(quantile(times, 0.5)), p95_ms: round(quantile(times, 0.95)) }
}

/**
 * This script runs in a separate process, so that its peak memory belongs to this store alone. Usage:
 * `store|floor FILE READS WINDOW SIZE…`. It prints one line of JSON.
 */
const [, , what, file = '', reads, window, ...sizes] = process.argv
const store = await (what === 'floor' ? floorIn(file) : storeIn(file))
try {
  console.log(JSON.stringify(await grow(store, Number(reads), Number(window), sizes.map(Number))))
} finally {
  await store.close()
  rmSync(file, { force: true })
}
