import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@panoptes/engine/store'
import { openDatabase } from '@panoptes/engine/testing/postgres'
import type { NewEvent } from '@panoptes/schema'
import { startDaemon } from '../e2e/daemon.ts'
import { startNats } from '../e2e/setup/nats-server.ts'
import preparePage from '../e2e/setup/page.ts'
import { startPostgres } from '../e2e/setup/postgres-server.ts'
import { options, publish } from './report.ts'
import { published } from './sessions-daemon.ts'
import { costOf, poster, requestOf, sent } from './sizing-cost.ts'
import { GAP, type Service, simulate } from './sizing-model.ts'
import { page } from './sizing-page.ts'
import { ASSUMED, endsOf, type Measured, planOf } from './sizing-plan.ts'
import { childNamed, cpuOf, cpuOfTree } from './sizing-processes.ts'
import { agentRate } from './sizing-rate.ts'
import { round } from './statistics.ts'
import { newDatabase, startTeam, type Under } from './team-hubs.ts'

const { quick, out } = options()
const SIZES = (
  quick
    ? [
        [10, 300],
        [100, 1_000],
        [1_000, 3_000],
      ]
    : [
        [10, 1_500],
        [100, 8_000],
        [1_000, 20_000],
      ]
) as readonly (readonly [number, number])[]
/** The number of events in small simultaneous requests. */
const TOGETHER = quick ? 1_000 : 10_000
/** Waiting appends are merged up to this many events. */
const MOST = 5_000
/**
 * Converts a measured cost. `request` is the part of the batch cost that belongs to each request instead of
 * the shared commit.
 */
const serviceOf = ([batch, event]: readonly [number, number], request = 0): Service => ({
  commit: Math.max(0, batch - request),
  event,
  request: Math.min(batch, request),
  most: MOST,
})
const folder = mkdtempSync(join(tmpdir(), 'panoptes-sizing-'))

const before = round(loadavg()[0] ?? Number.NaN)

await preparePage()
const [postgres, nats] = await Promise.all([startPostgres({ isDurable: true }), startNats()])
const server = openDatabase(postgres.url, 'public')
try {
  const under: Under = { command: await published(folder), postgres: postgres.url, nats: nats.url }
  const data = String((await server.row('SHOW data_directory'))?.data_directory)
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const rate = agentRate(quick ? 5_000 : 50_000)
  const sqlite = await ofSqlite(under)
  const append = await ofAppend()
  const hub = await ofHub(under, postmaster)
  const bus = await ofBus(under)
  const measured: Measured = {
    rate,
    sqlite,
    hub: hub.service,
    append: append.service,
    hub_cpu: hub.cpu,
    append_cpu: append.cpu,
    database_cpu: hub.database,
    bus_cpu: bus.cpu,
    wal_bytes: hub.wal,
    table_bytes: hub.tables,
  }
  const ends = endsOf(measured)
  const plans = [
    ...[10, 1_000, 100_000].map((agents) => planOf(agents, measured, ends)),
    planOf(100_000, measured, ends, 1),
  ]
  const micro = (seconds: number) => round(seconds * 1e6)
  publish({
    name: 'team-sizing',
    tables: [
      {
        title: 'An agent of the made-up day',
        rows: [
          {
            agents: rate.agents,
            'events/s of an agent': round(rate.per_agent),
            'bytes of an event': round(rate.bytes_per_event),
            'bytes on the wire': round(rate.wire_bytes_per_event),
          },
        ],
      },
      {
        title: 'What an event takes, beside what its batch takes',
        rows: [
          {
            what: 'one SQLite process, time',
            'µs an event': micro(sqlite.event),
            'ms a batch': round((sqlite.commit + sqlite.request) * 1e3),
          },
          {
            what: 'hub and PostgreSQL, time',
            'µs an event': micro(hub.service.event),
            'ms a batch': round((hub.service.commit + hub.service.request) * 1e3),
          },
          {
            what: 'ledger.append alone, time',
            'µs an event': micro(append.service.event),
            'ms a batch': round(append.service.commit * 1e3),
          },
          {
            what: 'processor of the hub',
            'µs an event': micro(hub.cpu[1]),
            'ms a batch': round(hub.cpu[0] * 1e3),
          },
          {
            what: 'processor of PostgreSQL',
            'µs an event': micro(hub.database[1]),
            'ms a batch': round(hub.database[0] * 1e3),
          },
          {
            what: 'processor of NATS, with a bus',
            'µs an event': micro(bus.cpu[1]),
            'ms a batch': round(bus.cpu[0] * 1e3),
          },
        ],
      },
      {
        title: 'Bytes of an event',
        rows: [
          { what: 'on the wire, 500 together', bytes: round(rate.wire_bytes_per_event) },
          { what: 'write-ahead log', bytes: round(hub.wal) },
          { what: 'tables and indexes', bytes: round(hub.tables) },
        ],
      },
      { title: 'The model against a hub', rows: hub.checked },
      { title: 'How busy the machine was', rows: [{ before, after: round(loadavg()[0] ?? Number.NaN) }] },
      {
        title: 'Where each design ends, events a second on a machine like this one',
        rows: [
          { design: 'one SQLite process', 'events/s': round(ends.sqlite) },
          { design: 'one hub and PostgreSQL', 'events/s': round(ends.hub) },
          { design: 'several hubs, one space', 'events/s': round(ends.hubs) },
          { design: 'several hubs and a bus, one space', 'events/s': round(ends.bus) },
          { design: 'many spaces, for each core of the database', 'events/s': round(ends.spaces_per_core) },
        ],
      },
      {
        title: 'What so many agents at once need',
        rows: plans.map((plan) => ({
          agents: plan.agents,
          'sent after': plan.gap < 1 ? 'at once' : `${plan.gap} s`,
          'events/s': round(plan.mean),
          'at peak': round(plan.peak),
          'wire kB/s': round(plan.wire_bytes_per_second / 1e3),
          'WAL kB/s': round(plan.wal_bytes_per_second / 1e3),
          'GB a day': round(plan.bytes_per_day / 1e9),
          'hub cores': round(plan.hub_cores),
          'database cores': round(plan.database_cores),
          'p99 ms': round(plan.p99 * 1e3),
          design: plan.design,
        })),
      },
    ],
    promises: [
      {
        says: 'the model is within a factor of three of a hub at the sizes that were tried',
        holds: hub.checked.every(
          (row) =>
            Number(row['measured p50 ms']) < 3 * Number(row['model p50 ms']) &&
            Number(row['model p50 ms']) < 3 * Number(row['measured p50 ms']),
        ),
        measured: hub.checked
          .map((row) => `${row['measured p50 ms']} and ${row['model p50 ms']} ms`)
          .join(', '),
      },
    ],
  })
  if (!quick) {
    const document = JSON.parse(readFileSync(new URL('team-sizing.json', out), 'utf8')) as Parameters<
      typeof page
    >[0]
    writeFileSync(new URL('../docs/team/sizing.md', import.meta.url), page(document, ASSUMED))
  }
} finally {
  await server.close()
  await Promise.all([postgres.stop(), nats.stop()])
  rmSync(folder, { recursive: true, force: true })
}

async function ofSqlite({ command }: Under): Promise<Service> {
  const daemon = await startDaemon({ command })
  try {
    const target = { port: daemon.port, token: await daemon.token('ingest') }
    const { wall } = await costOf(SIZES, async () => ({}), poster(target))
    return serviceOf(wall, await requestOf(poster(target), wall, TOGETHER))
  } finally {
    await daemon.stop()
  }
}

async function ofAppend() {
  const url = await newDatabase(postgres.url)
  const opened = await openStore({ kind: 'postgres', url, space: 'main' })
  if (!opened.ok) throw new Error(opened.message)
  try {
    const cost = await costOf(
      SIZES,
      async () => ({ own: cpuOf(process.pid) }),
      async (events) => {
        const stored = await opened.value.append(events as readonly NewEvent[])
        if (!stored.ok) throw new Error(stored.message)
      },
    )
    return { service: serviceOf(cost.wall), cpu: cost.meters.own ?? [0, 0] }
  } finally {
    await opened.value.close()
  }
}

async function ofHub(under: Under, postmaster: number) {
  const team = await startTeam(under, 1, false)
  try {
    const [hub] = team.hubs
    if (hub === undefined) throw new Error('there is no hub')
    const before = await bytes()
    const head = await team.head()
    const cost = await costOf(
      SIZES,
      async () => ({ hub: cpuOf(hub.pid), database: cpuOfTree(postmaster) }),
      poster(hub),
    )
    const stored = (await team.head()) - head
    const after = await bytes()
    const service = serviceOf(cost.wall, await requestOf(poster(hub), cost.wall, TOGETHER))
    const checked = []
    for (const [senders, events] of quick
      ? [[10, 100]]
      : [
          [20, 200],
          [40, 800],
        ]) {
      const load = { senders: senders ?? 1, rate: events ?? 1, batch: ASSUMED.batch, gap: GAP }
      const seconds = quick ? 5 : 20
      const real = await sent(hub, load, seconds)
      const model = simulate(service, load, seconds)
      checked.push({
        'events/s': load.rate,
        senders: load.senders,
        'measured p50 ms': round(real.p50 * 1e3),
        'model p50 ms': round(model.p50 * 1e3),
        'measured p99 ms': round(real.p99 * 1e3),
        'model p99 ms': round(model.p99 * 1e3),
      })
    }
    return {
      service,
      cpu: cost.meters.hub ?? [0, 0],
      database: cost.meters.database ?? [0, 0],
      wal: (after.wal - before.wal) / stored,
      tables: (after.tables - before.tables) / stored,
      checked,
    } as const
  } finally {
    await team.stop()
  }
}

async function ofBus(under: Under) {
  const team = await startTeam(under, 1, true)
  const pid = childNamed('nats-server')
  try {
    const [hub] = team.hubs
    if (hub === undefined || pid === undefined) throw new Error('there is no hub or no bus')
    const cost = await costOf(SIZES, async () => ({ bus: cpuOf(pid) }), poster(hub))
    return { cpu: cost.meters.bus ?? [0, 0] }
  } finally {
    await team.stop()
  }
}

/** Reads the sizes of all databases on the server, because nothing else uses it. */
async function bytes(): Promise<{ readonly wal: number; readonly tables: number }> {
  const row = await server.row(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, (SELECT sum(pg_database_size(oid)) FROM pg_database) AS tables`,
  )
  return { wal: Number(row?.wal), tables: Number(row?.tables) }
}
