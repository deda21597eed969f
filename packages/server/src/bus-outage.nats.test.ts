import { type Bus, openBus } from '@panoptes/engine/bus'
import { storeIdReader } from '@panoptes/engine/store'
import { success } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NatsServer, startNats } from '../../../e2e/setup/nats-server.ts'
import { type PostgresServer, startPostgres } from '../../../e2e/setup/postgres-server.ts'
import { useNats, usePostgres } from '../../../e2e/setup/shared-servers.ts'
import { createIdentities } from './auth/identities.ts'
import { startTestHub, type TestHub } from './hub.test-kit.ts'
import { many, session, unwrap } from './server.test-kit.ts'

useNats()
usePostgres()

let nats: NatsServer
let postgres: PostgresServer
let kit: TestHub
let bus: Bus

beforeAll(async () => {
  ;[nats, postgres] = await Promise.all([startNats(), startPostgres()])
  kit = await startTestHub(
    {
      spaces: ['main'],
      site: async (space, store) => {
        bus = unwrap(
          await openBus({ url: nats.url, space, store, readStoreId: storeIdReader(postgres.url, space) }),
        )
        return { bus }
      },
    },
    { url: postgres.url, ask: async () => [], drop: async () => undefined },
  )
}, 60_000)
afterAll(async () => {
  await bus.close()
  await kit.stop()
  await Promise.all([nats.stop(), postgres.stop()])
})

const post = async (token: string, events: readonly object[]): Promise<number> =>
  (await kit.request('/events', token, { method: 'POST', body: JSON.stringify(events) })).status
const statusOf = async (path: string, token: string): Promise<number> =>
  (await kit.request(path, token)).status
const ready = async (): Promise<number> => (await fetch(`${kit.address}/ready`)).status
const told = async () => (await fetch(`${kit.address}/ready`)).json()

const keys = async (): Promise<string[]> => {
  const page = await kit.store('main').read({ after: 0, limit: 1_000 })
  return page.ok ? page.value.rows.map(({ json }) => (JSON.parse(json) as { readonly key: string }).key) : []
}

describe('a hub with a bus during a database outage', () => {
  it('accepts only events of known senders, and all of them are stored once afterwards', async () => {
    const known = await kit.token({ space: 'main', scope: 'ingest' })
    const person = await kit.token({ space: 'main', scope: 'full', role: 'admin' })
    const stranger = await kit.token({ space: 'main', scope: 'ingest' })
    expect(await post(known, many(10))).toBe(200)
    expect(await statusOf('/api/agents', person)).toBe(200)
    await postgres.kill()
    await expect.poll(() => statusOf('/api/agents', person)).toBe(503)
    const status = await kit.request('/api/status', await kit.ownToken('full'))
    expect(await status.json()).toMatchObject({
      status: 503,
      detail: expect.stringContaining('its database is unavailable'),
      next: expect.stringContaining('panoptes doctor --team'),
    })
    const answers: number[] = []
    for (let at = 11; at <= 40; at += 1) {
      answers.push(await post(known, [session(at - 1), session(at)]))
      await new Promise((wait) => setTimeout(wait, 50))
    }
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(await post(stranger, [session('x')])).toBe(503)
    expect(await statusOf('/api/transcripts/known?source=custom&host=h', known)).toBe(503)
    expect(await ready()).toBe(200)
    expect(await told()).toEqual({ ready: true, takes_events: true, away: ['database'] })
    await postgres.start()
    await expect.poll(keys).toEqual(many(40).map(({ key }) => key))
    await expect.poll(() => post(stranger, [session(40)])).toBe(200)
    await expect.poll(() => bus.health().waiting).toBe(0)
    expect(await keys()).toHaveLength(40)
  }, 60_000)

  it('is not ready without the bus either', async () => {
    await nats.kill()
    await expect.poll(() => bus.health().isTaking).toBe(false)
    const status = await kit.request('/api/status', await kit.ownToken('full'))
    expect(await status.json()).toMatchObject({
      bus: {
        where: new URL(nats.url).host,
        taking: false,
        problem: expect.stringContaining('does not answer'),
      },
    })
    // Stored data stays readable. Events are refused, so that agents keep them and send them in order later.
    const known = await kit.token({ space: 'main' })
    expect(await ready()).toBe(200)
    expect(await told()).toEqual({ ready: true, takes_events: false, away: ['bus'] })
    expect(await post(known, [session('kept')])).toBe(503)
    expect(await statusOf('/api/agents', known)).toBe(200)
    await postgres.kill()
    await expect.poll(ready).toBe(503)
    expect(await told()).toMatchObject({ code: 'not_ready', away: ['database', 'bus'] })
    await Promise.all([nats.start(), postgres.start()])
    await expect.poll(told).toEqual({ ready: true, takes_events: true, away: [] })
    await expect.poll(() => post(known, [session('kept')])).toBe(200)
  }, 60_000)
})

describe('the last known identity of a secret', () => {
  it('is accepted for ten minutes after the team last answered, but not past its expiry', async () => {
    let now = 0
    let isAway = false
    let expires_at: number | null = null
    const about = {
      user_id: null,
      token_id: 't',
      label: 'l',
      space: 'main',
      scope: 'ingest',
      role: 'member',
    } as const
    const identities = createIdentities(
      {
        identify: async () =>
          isAway
            ? { ok: false, code: 'busy', message: 'away' }
            : success({ identity: { ...about, expires_at } }),
      },
      () => now,
    )
    await identities.identify('secret')
    isAway = true
    now = 599_000
    expect(await identities.identify('secret')).toMatchObject({ ok: false })
    expect(identities.findRecent('secret')).toMatchObject(about)
    expect(identities.findRecent('another')).toBeUndefined()
    now = 601_000
    expect(identities.findRecent('secret')).toBeUndefined()
    isAway = false
    expires_at = Date.now() - 1
    await identities.identify('secret')
    expect(identities.findRecent('secret')).toBeUndefined()
  })
})
