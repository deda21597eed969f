import { type Bus, openBus } from '@panoptes/engine/bus'
import { type EventStore, openStore, storeIdReader } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type NatsServer, startNats } from '../../../e2e/setup/nats-server.ts'
import { many, session, startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

interface Served {
  readonly server: TestServer
  readonly store: EventStore
  readonly bus: Bus
  readonly close: () => Promise<void>
}

let nats: NatsServer
let database: OwnDatabase
let one: Served
let two: Served

async function serve(): Promise<Served> {
  const store = unwrap(await openStore({ kind: 'postgres', url: database.url, space: 'main' }))
  const bus = unwrap(
    await openBus({ url: nats.url, space: 'main', store, readStoreId: storeIdReader(database.url, 'main') }),
  )
  const server = await startTestServer({ options: { store, bus } })
  return {
    server,
    store,
    bus,
    close: async () => {
      await server.stop()
      await bus.close()
      await store.close()
    },
  }
}

beforeAll(async () => {
  nats = await startNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await ownDatabase()
  ;[one, two] = await Promise.all([serve(), serve()])
})
afterEach(async () => {
  await Promise.all([one.close(), two.close()])
  await database.drop()
})

const kinds = async (ledger: EventStore): Promise<string[]> =>
  unwrap(await ledger.read({ after: 0, limit: 1_000 })).rows.map(
    ({ json }) => (JSON.parse(json) as { readonly event: string }).event,
  )

describe('two hubs with a bus', () => {
  it('accept events on either, and show all of them on both', async () => {
    const streams = await Promise.all([one.server.stream(), two.server.stream()])
    const first = await one.server.post(...many(30))
    expect(first.status).toBe(200)
    expect(await first.json()).toMatchObject({ accepted: 30, duplicates: 0, rejected: [] })
    expect((await two.server.post(...many(35).slice(25))).status).toBe(200)
    for (const stream of streams) {
      await stream.reached(35)
      expect(stream.seqs()).toEqual(Array.from({ length: 35 }, (_, n) => n + 1))
    }
  })

  it('accept hook payloads the same way', async () => {
    const payload = { hook_event_name: 'SessionStart', session_id: 's1', cwd: '/work', source: 'startup' }
    const hook = await one.server.request('/hooks/claude-code', {
      method: 'POST',
      body: JSON.stringify(payload),
    })
    expect(hook.status).toBe(200)
    await expect.poll(() => kinds(two.store)).toContain('session_start')
  })

  it('store input that comes with a mark without the bus', async () => {
    const { intake } = one.server.server
    const [event] = intake.capture.found([{ event: 'prompt', source: 'custom', session_id: 's9', key: 'k9' }])
    if (event === undefined) throw new Error('it was not captured')
    expect(unwrap(await intake.append([event], { place: '7' }))).toMatchObject({ accepted: 1, last: 1 })
    expect(unwrap(await two.store.marks(['place']))).toEqual({ place: '7' })
  })

  it('send nothing that the other hub forgot to a client that resumes', async () => {
    const stream = await two.server.stream()
    await one.server.post(...['kept', 'gone', 'end'].map((id) => session(id, { source: 'custom' })))
    await stream.reached(3)
    const gone = [{ source: 'custom', id: 'sgone' }]
    unwrap(await one.store.forgetting.begin(gone))
    unwrap(await one.store.forgetting.remove(gone))
    unwrap(await one.store.forgetting.end(gone))
    const resumed = async () => {
      const again = await two.server.stream('?since=0')
      await again.reached(3)
      return again.seqs()
    }
    const told = async () => {
      const end = new AbortController()
      for await (const rows of two.bus.subscribe(0, end.signal)) {
        end.abort()
        return rows.map(({ seq }) => seq)
      }
    }
    await expect.poll(resumed).toEqual([1, 3])
    await expect.poll(told).toEqual([1, 3])
  })

  it('report that they accept nothing during a bus outage, and accept it once afterwards', async () => {
    const stream = await two.server.stream()
    await one.server.post(session(1))
    await nats.kill()
    await expect.poll(() => one.bus.health().problem).toContain('does not answer')
    const refused = await one.server.post(session(2))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await (await one.server.request('/metrics')).text()).toContain('panoptes_bus_up 0')
    await nats.start()
    await expect.poll(async () => (await two.server.post(session(2))).status).toBe(200)
    await stream.reached(2)
    expect(stream.seqs()).toEqual([1, 2])
    await expect
      .poll(async () => (await one.server.request('/metrics')).text())
      .toMatch(/panoptes_bus_up 1[\s\S]*panoptes_bus_replicas 1/)
  })
})
