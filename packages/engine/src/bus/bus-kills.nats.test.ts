import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type NatsServer, startNats, startNatsCluster } from '../../../../e2e/setup/nats-server.ts'
import { type PostgresServer, startPostgres } from '../../../../e2e/setup/postgres-server.ts'
import { useNats, usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import {
  type Hub,
  newSpace,
  numbersByHost,
  openHub,
  publisherEvent,
  tell,
  upTo,
  value,
} from './bus.test-kit.ts'

useNats()
usePostgres()

const CHILD = fileURLToPath(new URL('./bus.child.ts', import.meta.url))
const COUNT = 3_000

let nats: NatsServer
let database: PostgresServer
let space = ''
const hubs: Hub[] = []
const children = new Set<ChildProcess>()

beforeAll(async () => {
  ;[nats, database] = await Promise.all([startNats(), startPostgres()])
})
afterAll(() => Promise.all([nats.stop(), database.stop()]))
beforeEach(() => {
  space = newSpace()
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const hub of hubs.splice(0)) await hub.close()
})

async function open(url = nats.url): Promise<Hub> {
  const hub = await openHub({ url, postgres: database.url, space })
  hubs.push(hub)
  return hub
}

/** Resolves once the process is the writer. */
async function startWriter(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CHILD, nats.url, database.url, space], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const { promise, resolve } = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('"isWriter":true')) resolve()
  })
  await promise
  return child
}

/** Runs three publishers. Each moves on to another hub when its hub rejects a batch. */
const tellAll = (to: readonly Hub[], count = COUNT) =>
  Promise.all(
    ['a', 'b', 'c'].map((name) =>
      tell(
        name,
        count,
        to.map(({ bus }) => bus),
      ),
    ),
  )

async function expectAllOn(to: readonly Hub[], count = COUNT): Promise<void> {
  for (const hub of to) {
    await expect.poll(() => hub.rows.length, { timeout: 40_000, interval: 50 }).toBe(3 * count)
    expect(hub.rows.map(({ seq }) => seq)).toEqual(upTo(3 * count).map((n) => n + 1))
    expect(numbersByHost(hub.rows)).toEqual({ a: upTo(count), b: upTo(count), c: upTo(count) })
  }
  for (const { store } of to.slice(0, 1))
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
}

const stored = (hub: Hub, count: number) =>
  expect.poll(() => hub.rows.length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(count)

describe('bus under failures', () => {
  it('stores every accepted event once and in order on every hub when the bus server is killed', async () => {
    const both = await Promise.all([open(), open()])
    const telling = tellAll(both)
    for (const count of [1_000, 4_000]) {
      await stored(both[0], count)
      await nats.kill()
      await setTimeout(300)
      await nats.start()
    }
    await telling
    await expectAllOn(both)
  })

  it('stores every accepted event once and in order when the database is killed, without delaying publishers', async () => {
    const both = await Promise.all([open(), open()])
    await tellAll(both, 100)
    await stored(both[1], 200)
    await database.kill()
    await tellAll(both)
    await database.start()
    await expectAllOn(both)
  })

  it('stores every accepted event once and in order on every hub when the writer is killed', async () => {
    const writer = await startWriter()
    const both = await Promise.all([open(), open()])
    const telling = tellAll(both)
    await stored(both[0], 500)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    await telling
    await expectAllOn(both)
    expect(both.filter(({ bus }) => bus.health().isWriter)).toHaveLength(1)
  })

  it('stores every accepted event once and in order when the writer hands over with many events in flight', async () => {
    const [first, second, third] = await Promise.all([open(), open(), open()])
    const telling = tellAll([second, third])
    await stored(second, 500)
    hubs.splice(hubs.indexOf(first), 1)
    await first.close()
    await telling
    await expectAllOn([second, third])
  })
})

describe('bus that cannot be reached', () => {
  it('does not prevent a start: it rejects events, serves rows from the store, and recovers', async () => {
    await nats.kill()
    const hub = await open()
    expect(await hub.bus.publish([publisherEvent('a', 0)])).toMatchObject({ ok: false, code: 'busy' })
    expect(hub.bus.health().problem).toContain('does not answer')
    value(await hub.store.append([publisherEvent('direct', 0)]))
    await stored(hub, 0)
    await nats.start()
    await tell('a', 10, [hub.bus])
    await expect.poll(() => hub.rows.length).toBe(11)
    expect(numbersByHost(hub.rows)).toEqual({ direct: [0], a: upTo(10) })
    expect(hub.bus.health().problem).toBeNull()
  })
})

describe('three bus servers', () => {
  it('keep three copies even if one of them was away when the stream was created', async () => {
    const cluster = await startNatsCluster()
    try {
      await cluster.servers[2]?.kill()
      const hub = await open(cluster.url)
      await tellAll([hub], 100)
      await cluster.servers[2]?.start()
      await expect.poll(() => hub.bus.health().replicas, { timeout: 30_000 }).toBe(3)
      await expectAllOn([hub], 100)
      for (const each of hubs.splice(0)) await each.close()
    } finally {
      await cluster.stop()
    }
  })

  it('keep three copies and continue when one of them is gone', async () => {
    const cluster = await startNatsCluster()
    try {
      const both = await Promise.all([open(cluster.url), open(cluster.url)])
      const telling = tellAll(both, 1_000)
      await stored(both[0], 300)
      await cluster.servers[0]?.kill()
      await telling
      await expectAllOn(both, 1_000)
      await expect.poll(() => both[0].bus.health().replicas).toBe(3)
      for (const hub of hubs.splice(0)) await hub.close()
    } finally {
      await cluster.stop()
    }
  })
})
