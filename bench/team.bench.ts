import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats } from '../e2e/setup/nats-server.ts'
import preparePage from '../e2e/setup/page.ts'
import { startPostgres } from '../e2e/setup/postgres-server.ts'
import { options, publish, type Row } from './report.ts'
import { published } from './sessions-daemon.ts'
import { round } from './statistics.ts'
import { ingest } from './team-ingest.ts'
import { latency } from './team-latency.ts'
import { limits } from './team-limits.ts'
import { packing } from './team-packing.ts'

const { quick } = options()
const rounds = quick ? 1 : 5
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-'))
const times: Row[] = []

/** Reports the load of the machine with each measurement. */
async function part<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = round(loadavg()[0] ?? Number.NaN)
  const began = performance.now()
  const done = await work()
  times.push({
    part: name,
    seconds: round((performance.now() - began) / 1_000),
    'load before': before,
    after: round(loadavg()[0] ?? Number.NaN),
  })
  return done
}

await preparePage()
const [postgres, nats] = await Promise.all([startPostgres({ isDurable: true }), startNats()])
try {
  const under = { command: await published(folder), postgres: postgres.url, nats: nats.url }
  const ingested = await part('ingest', () => ingest(under, quick))
  const latencies = await part('latency', () => latency(under, quick))
  const limited = await part('limits', () => limits(under, quick))
  const packed = await part('packing', () => packing(quick))
  const { alone, bus } = ingested.posted
  publish({
    name: 'team',
    tables: [
      {
        title: `Events stored in batches of 1,000, median of ${rounds}; the database with fsync, beside all else on this machine`,
        rows: ingested.rows,
      },
      {
        title: `From a post on one of three hubs to a frame on two clients of each, batches of 10, median of ${rounds}`,
        rows: latencies.rows,
      },
      {
        title: `Many that store batches of 2 and follow all, until p99 is over 250 ms: by tail, and by the bus, median of ${rounds}`,
        rows: limited.rows,
      },
      { title: `What a message of the bus takes, median of ${rounds}`, rows: packed },
      { title: 'How busy the machine was, with all that ran on it', rows: times },
    ],
    promises: [
      {
        says: 'the ledger stores at least half of the floor',
        holds: ingested.share >= 0.5,
        measured: `${ingested.share}`,
      },
      {
        says: 'one hub takes about 8,000 events a second over HTTP, without the bus and with it',
        holds: Math.min(alone, bus) >= 7_500,
        measured: `${alone} and ${bus}`,
      },
      {
        says: 'at 2,000 events a second p99 is under 250 ms, without the bus and with it',
        holds: Math.max(latencies.p99.alone, latencies.p99.bus) < 250,
        measured: `${latencies.p99.alone} and ${latencies.p99.bus} ms`,
      },
      {
        says: 'the bus holds wherever following by notification does, and beyond',
        holds: limited.isBeyond,
        measured: limited.isBeyond ? 'it does' : 'it does not',
      },
      {
        says: 'every client gets every event',
        holds: latencies.isWhole,
        measured: latencies.isWhole ? 'all of them' : 'some were missing',
      },
    ],
  })
} finally {
  await Promise.all([postgres.stop(), nats.stop()])
  rmSync(folder, { recursive: true, force: true })
}
