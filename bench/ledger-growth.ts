import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { newEvents } from '@panoptes/engine/demo'
import { type EventRow, type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import type { NewEvent, Result } from '@panoptes/schema'
import { median, quantile, round } from './figures.ts'

const BATCH = 1_000
const WINDOWS = 5
const READS = 200

export interface Stage {
  readonly events: number
  readonly append_us: number
  readonly reads: readonly Latency[]
  readonly file_mb: number
  readonly peak_mb: number
}

export interface Latency {
  readonly read: string
  readonly p50_ms: number
  readonly p95_ms: number
  /** The same rows by a plain SELECT on a connection of its own, in this thread. */
  readonly floor_p50_ms: number
  readonly floor_p95_ms: number
}

function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.message)
}

/** Fills one ledger up to the sizes asked for; at each it measures appends and reads. Run alone: it reports peak memory. */
export async function grow(file: string, window: number, sizes: readonly number[]): Promise<Stage[]> {
  const ledger = orThrow(await openSqliteLedger(file))
  const day = newEvents({ seed: 1, events: Number.MAX_SAFE_INTEGER })
  const stages: Stage[] = []
  let last = 0
  try {
    for (const size of sizes) {
      while (last < size) last = orThrow(await ledger.append(take(day, Math.min(BATCH, size - last)))).last
      const costs: number[] = []
      for (let n = 0; n < WINDOWS; n += 1) costs.push(await windowCost(ledger, take(day, window)))
      last = orThrow(await ledger.head()).last
      const reads = await latencies(ledger, file, last)
      const { bytes } = orThrow(await ledger.info())
      stages.push({
        events: size,
        append_us: round(median(costs)),
        reads,
        file_mb: Math.round(bytes / 1_048_576),
        peak_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
      })
    }
  } finally {
    await ledger.close()
    rmSync(file, { force: true })
  }
  return stages
}

function take(day: Iterator<NewEvent>, count: number): NewEvent[] {
  return Array.from({ length: count }, () => day.next().value as NewEvent)
}

/** Microseconds an event, in batches. */
async function windowCost(ledger: Ledger, events: readonly NewEvent[]): Promise<number> {
  const start = performance.now()
  for (let at = 0; at < events.length; at += BATCH) orThrow(await ledger.append(events.slice(at, at + BATCH)))
  return ((performance.now() - start) * 1_000) / events.length
}

async function latencies(ledger: Ledger, file: string, last: number): Promise<Latency[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  const up = db.prepare('SELECT seq, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  const down = db.prepare('SELECT seq, body FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const bySession = db.prepare('SELECT seq, body FROM events WHERE session_id = ? ORDER BY seq LIMIT ?')
  const middle = orThrow(await ledger.read({ after: Math.floor(last / 2), limit: 1 })).rows[0]
  const session = (JSON.parse((middle as EventRow).json) as NewEvent).session_id
  const anywhere = (n: number): number => Math.floor(((n * 0.618_034) % 1) * Math.max(1, last - 1_000))
  try {
    return [
      await latency(
        'tail, newest 100',
        () => ledger.read({ before: last + 1, limit: 100 }),
        () => down.all(last + 1, 100),
      ),
      await latency(
        'tail, after the last but 100',
        () => ledger.read({ after: last - 100, limit: 100 }),
        () => up.all(last - 100, 100),
      ),
      await latency(
        'range, 1,000 anywhere',
        (n) => ledger.read({ after: anywhere(n), limit: 1_000 }),
        (n) => up.all(anywhere(n), 1_000),
      ),
      await latency(
        'session, first 100',
        () => ledger.read({ after: 0, limit: 100 }, { session }),
        () => bySession.all(session, 100),
      ),
    ]
  } finally {
    db.close()
  }
}

async function latency(
  read: string,
  ours: (n: number) => Promise<Result<unknown>>,
  plain: (n: number) => unknown,
): Promise<Latency> {
  const times: number[] = []
  const floors: number[] = []
  for (let n = 0; n < READS; n += 1) {
    const start = performance.now()
    orThrow(await ours(n))
    const between = performance.now()
    plain(n)
    floors.push(performance.now() - between)
    times.push(between - start)
  }
  return {
    read,
    p50_ms: round(quantile(times, 0.5)),
    p95_ms: round(quantile(times, 0.95)),
    floor_p50_ms: round(quantile(floors, 0.5)),
    floor_p95_ms: round(quantile(floors, 0.95)),
  }
}

/** As a process of its own: `node bench/ledger-growth.ts FILE WINDOW SIZE…` answers with one line of JSON. */
if (process.argv[1] === import.meta.filename) {
  const [, , file = '', window, ...sizes] = process.argv
  console.log(JSON.stringify(await grow(file, Number(window), sizes.map(Number))))
}
