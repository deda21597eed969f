import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openHub, startForward } from '@panoptes/engine/forward'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Forwarded } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { startDaemon } from '../e2e/daemon.ts'
import { startPostgres } from '../e2e/setup/postgres-server.ts'
import { options, orThrow, publish, type Row } from './report.ts'
import { round } from './statistics.ts'

const { quick } = options()
const EVENTS = quick ? 10_000 : 100_000
const LIVE_SECONDS = quick ? 3 : 15

const silent = { info: () => undefined, warn: () => undefined }

async function forwardAll(
  ledger: EventStore,
  to: string,
  secret: string,
  what: Forwarded,
  name: string,
): Promise<Row> {
  const token = async () => success(secret)
  const cpu = process.cpuUsage()
  const began = performance.now()
  const hub = openHub({ to, token })
  const forward = orThrow(
    await startForward({ store: ledger, hub, token, what, host: 'bench', fromStart: true, log: silent }),
  )
  while (forward.sentTo() < EVENTS) await sleep(20)
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const { sent, retries } = orThrow(await forward.status())
  await forward.stop()
  return {
    to: name,
    what,
    events: EVENTS,
    seconds: round(seconds),
    events_per_second: Math.round(EVENTS / seconds),
    bytes_per_event: round(sent.bytes / EVENTS),
    wire_bytes_per_event: round(sent.compressed_bytes / EVENTS),
    cpu_us_per_event: round((user + system) / EVENTS),
    retries,
    load: round(loadavg()[0] ?? 0),
  }
}

/** Sends single events at a fixed pace, and measures the bytes on the network and the delay of each. */
async function live(ledger: EventStore, to: string, rate: number): Promise<Row> {
  const token = async () => success('none')
  const hub = openHub({ to, token })
  const options = { store: ledger, hub, token, what: 'metadata', host: 'bench', log: silent } as const
  const forward = orThrow(await startForward(options))
  const before = orThrow(await forward.status()).sent
  const list = [...generateNewEvents({ seed: 900 + rate, events: rate * LIVE_SECONDS })]
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (const [n, event] of list.entries()) {
    const early = began + (n / rate) * 1_000 - performance.now()
    if (early > 1) await sleep(early)
    const mark = (performance.timeOrigin + performance.now()).toFixed(2)
    orThrow(await ledger.append([{ ...event, key: `${event.key}#${rate}`, mark }]))
  }
  const { last } = orThrow(await ledger.head())
  while (forward.sentTo() < last) await sleep(20)
  const { user, system } = process.cpuUsage(cpu)
  const { sent } = orThrow(await forward.status())
  await forward.stop()
  const waits = ((await (await fetch(`${to}/waits`)).json()) as number[]).sort((a, b) => a - b)
  const events = sent.events - before.events
  return {
    events_per_second: rate,
    events,
    body_bytes_per_event: round((sent.compressed_bytes - before.compressed_bytes) / events),
    delay_p50_ms: round(waits[Math.floor(waits.length * 0.5)] ?? 0),
    delay_p99_ms: round(waits[Math.floor(waits.length * 0.99)] ?? 0),
    cpu_us_per_event_with_append: round((user + system) / events),
    load: round(loadavg()[0] ?? 0),
  }
}

const folder = await mkdtemp(join(tmpdir(), 'panoptes-bench-forward-'))
const ledger = orThrow(await openSqliteStore(join(folder, 'ledger.db')))
const sink = spawn(process.execPath, [fileURLToPath(new URL('./forward-sink.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const list = [...generateNewEvents({ seed: 11, events: EVENTS })]
  for (let at = 0; at < list.length; at += 2_000) orThrow(await ledger.append(list.slice(at, at + 2_000)))
  const [line] = (await once(sink.stdout, 'data')) as [Buffer]
  const to = String(line).trim()
  const rows: Row[] = []
  for (const what of ['metadata', 'events'] as const)
    rows.push(await forwardAll(ledger, to, 'none', what, 'a hub that stores nothing'))
  const postgres = await startPostgres()
  const hub = await startDaemon({ args: ['--ledger', postgres.url] })
  const secret = (await readFile(join(hub.home.panoptes, 'tokens', 'ingest'), 'utf8')).trim()
  rows.push(await forwardAll(ledger, hub.address, secret, 'metadata', 'a hub on PostgreSQL'))
  await hub.stop()
  await postgres.stop()
  const paced: Row[] = []
  for (const rate of [1, 20, 200]) paced.push(await live(ledger, to, rate))
  const per = Number(rows[0]?.wire_bytes_per_event)
  publish({
    name: 'forward',
    tables: [
      { title: `A backlog of ${EVENTS} events`, rows },
      { title: 'As they happen', rows: paced },
    ],
    promises: [
      {
        says: 'a backlog takes under 100 bytes of the wire for an event',
        holds: per < 100,
        measured: `${per}`,
      },
    ],
  })
} finally {
  sink.kill()
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
}
