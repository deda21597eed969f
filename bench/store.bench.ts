import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { options, publish, type Row } from './report.ts'
import { interleaved, round } from './statistics.ts'
import { appended, appendedAtOnce, floor } from './store-baseline.ts'
import type { Stage } from './store-growth.ts'

const { quick } = options()
const rounds = quick ? 1 : 5
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-'))
let files = 0
const newFile = (): string => {
  files += 1
  return join(folder, `${files}.db`)
}

const padding = 'x'.repeat(730)
const sizes = {
  '250 B': (event: NewEvent) => event,
  '1 KB': (event: NewEvent) => ({ ...event, note: padding }),
}
const batches = quick
  ? [
      { batch: 1, events: 50 },
      { batch: 100, events: 500 },
      { batch: 1_000, events: 2_000 },
    ]
  : [
      { batch: 1, events: 3_000 },
      { batch: 100, events: 30_000 },
      { batch: 1_000, events: 120_000 },
    ]

async function throughput(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [size, shape] of Object.entries(sizes)) {
    for (const { batch, events: count } of batches) {
      const events = Array.from(generateNewEvents({ seed: 3, events: count }), shape)
      const seconds = await interleaved(rounds, {
        store: () => discarded((file) => appended(file, events, batch)),
        floor: () => discarded((file) => floor(file, events, batch)),
      })
      rows.push({
        event: size,
        batch,
        'events/s': Math.round(count / seconds.store),
        'floor, events/s': Math.round(count / seconds.floor),
        'of the floor': round(seconds.floor / seconds.store),
      })
    }
  }
  return rows
}

/** Measures callers that append one event at a time, as the requests of hooks do. */
async function concurrency(): Promise<Row[]> {
  const events = [...generateNewEvents({ seed: 3, events: quick ? 100 : 3_000 })]
  const seconds = await interleaved(rounds, {
    one: () => discarded((file) => appendedAtOnce(file, events, 1)),
    ten: () => discarded((file) => appendedAtOnce(file, events, 10)),
    fifty: () => discarded((file) => appendedAtOnce(file, events, 50)),
    floor: () => discarded((file) => floor(file, events, 1)),
  })
  return (['one', 'ten', 'fifty'] as const).map((callers) => ({
    'callers at once': callers,
    'events/s': Math.round(events.length / seconds[callers]),
    'floor, events/s': Math.round(events.length / seconds.floor),
    'of the floor': round(seconds.floor / seconds[callers]),
  }))
}

async function discarded(measure: (file: string) => Promise<number>): Promise<number> {
  const file = newFile()
  const seconds = await measure(file)
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${file}${end}`, { force: true })
  return seconds
}

/** Runs in a separate process, so that its peak memory belongs only to the store and the generator. */
function growth(what: 'store' | 'floor'): Stage[] {
  const script = fileURLToPath(new URL('./store-growth.ts', import.meta.url))
  const [reads, window, ...at] = quick
    ? [20, 100, 500, 1_000, 2_000]
    : [200, 10_000, 10_000, 1_000_000, 5_000_000]
  const ran = spawnSync(
    process.execPath,
    [script, what, newFile(), `${reads}`, `${window}`, ...at.map(String)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return JSON.parse(ran.stdout) as Stage[]
}

try {
  const appends = await throughput()
  const atOnce = await concurrency()
  const stages = growth('store')
  const floors = growth('floor')
  const [first, last] = [stages[0], stages.at(-1)]
  const shares = appends.filter((row) => row.batch === 1_000).map((row) => Number(row['of the floor']))
  const growthRatio = round((last?.append_us ?? Number.NaN) / (first?.append_us ?? Number.NaN))
  const peak = last?.peak_mb ?? Number.NaN
  publish({
    name: 'store',
    tables: [
      {
        title: `Append, median of ${rounds}, against INSERTs into the same table with no projections`,
        rows: appends,
      },
      {
        title: `Callers that append one event at a time, median of ${rounds}, against one INSERT per commit`,
        rows: atOnce,
      },
      {
        title: 'Append in batches of 1,000 as the store grows',
        rows: stages.map(({ events, append_us, peak_mb }, n) => ({
          events,
          'µs/event': append_us,
          'floor, µs/event': floors[n]?.append_us ?? null,
          'against the first': round(append_us / (first?.append_us ?? Number.NaN)),
          'floor against its first': round(
            (floors[n]?.append_us ?? Number.NaN) / (floors[0]?.append_us ?? Number.NaN),
          ),
          'peak memory, MB': peak_mb,
        })),
      },
      {
        title: 'Reads, against the same SELECT in the same thread',
        rows: stages.flatMap(({ events, reads }, n) =>
          reads.map(({ read, p50_ms, p95_ms }, m) => ({
            events,
            read,
            'p50, ms': p50_ms,
            'p95, ms': p95_ms,
            'floor p50, ms': floors[n]?.reads[m]?.p50_ms ?? null,
            'floor p95, ms': floors[n]?.reads[m]?.p95_ms ?? null,
          })),
        ),
      },
    ],
    promises: [
      {
        says: 'batches of 1,000 reach half of the floor',
        holds: Math.min(...shares) >= 0.5,
        measured: shares.join(' and '),
      },
      {
        says: `an event at ${last?.events} costs at most twice one at ${first?.events}`,
        holds: growthRatio <= 2,
        measured: `${growthRatio} times`,
      },
      { says: 'memory stays under 300 MB', holds: peak < 300, measured: `${peak} MB` },
    ],
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
