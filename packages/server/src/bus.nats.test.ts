import { type Bus, openBus } from '@panoptes/engine/bus'
import { type Ledger, openLedger, storeOf } from '@panoptes/engine/ledger'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type NatsServer, startNats } from '../../../e2e/setup/nats-server.ts'
import { many, session, startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

interface Served {
  readonly server: TestServer
  readonly ledger: Ledger
  readonly bus: Bus
  readonly close: () => Promise<void>
}

let nats: NatsServer
let database: OwnDatabase
let one: Served
let two: Served

async function serve(): Promise<Served> {
  const ledger = unwrap(await openLedger({ kind: 'postgres', url: database.url, space: 'main' }))
  const bus = unwrap(
    await openBus({ url: nats.url, space: 'main', ledger, store: storeOf(database.url, 'main') }),
  )
  const server = await startTestServer({ options: { ledger, bus } })
  return {
    server,
    ledger,
    bus,
    close: async () => {
      await server.stop()
      await bus.close()
      await ledger.close()
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

const kinds = async (ledger: Ledger): Promise<string[]> =>
  unwrap(await ledger.read({ after: 0, limit: 1_000 })).rows.map(
    ({ json }) => (JSON.parse(json) as { readonly event: string }).event,
  )

describe('two hubs with a bus', () => {
  it('take events on either, and show all of them on both', async () => {
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

  it('take what hooks send the same way', async () => {
    const payload = { hook_event_name: 'SessionStart', session_id: 's1', cwd: '/work', source: 'startup' }
    const hook = await one.server.request('/hooks/claude-code', {
      method: 'POST',
      body: JSON.stringify(payload),
    })
    expect(hook.status).toBe(200)
    await expect.poll(() => kinds(two.ledger)).toContain('session_start')
  })

  it('store what other inputs have with its mark, without the bus', async () => {
    const { intake } = one.server.server
    const [event] = intake.capture.found([{ event: 'prompt', source: 'custom', session_id: 's9', key: 'k9' }])
    if (event === undefined) throw new Error('it was not captured')
    expect(unwrap(await intake.append([event], { place: '7' }))).toMatchObject({ accepted: 1, last: 1 })
    expect(unwrap(await two.ledger.marks(['place']))).toEqual({ place: '7' })
  })

  it('give nothing of what was forgotten on the other one to whoever resumes', async () => {
    const stream = await two.server.stream()
    await one.server.post(...['kept', 'gone', 'end'].map((id) => session(id, { source: 'custom' })))
    await stream.reached(3)
    const gone = [{ source: 'custom', id: 'sgone' }]
    unwrap(await one.ledger.forgetting.begin(gone))
    unwrap(await one.ledger.forgetting.remove(gone))
    unwrap(await one.ledger.forgetting.end(gone))
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

  it('say that they take nothing while the bus is away, and take it afterwards, once', async () => {
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
