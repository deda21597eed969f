import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openHubs, openStore, openTeam } from '@panoptes/engine/store'
import type { HealthCheck } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { unwrap } from '../../result.test-kit.ts'
import { diagnoseTeam } from './diagnose-team.ts'

const name = `doctor_${randomUUID().replaceAll('-', '')}`
const postgres = usePostgres()
const server = new Client({ connectionString: postgres })
const url = Object.assign(new URL(postgres), { pathname: `/${name}` }).href

beforeAll(async () => {
  await server.connect()
  await server.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
})
afterAll(async () => {
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await server.end()
})

const diagnosed = async (more: Partial<Parameters<typeof diagnoseTeam>[0]> = {}) =>
  new Map(
    (await diagnoseTeam({ url, bus: null, publicUrl: null, ...more })).map((check) => [check.id, check]),
  )
const isWhole = ({ state, cause, next }: HealthCheck): boolean =>
  state === 'ok' ? cause === null && next === null : Boolean(cause) && Boolean(next)

describe('the team doctor', () => {
  it('explains how to create a team in an empty database and changes nothing', async () => {
    const found = await diagnosed()
    expect(found.get('database')).toMatchObject({ state: 'ok' })
    expect(found.get('team')).toMatchObject({ state: 'failed', next: expect.stringContaining('team init') })
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'panoptes%'")
    await client.end()
    expect(rows).toEqual([])
  })

  it('lists hubs, leaders, growth, forwarders and expiring tokens', async () => {
    const team = unwrap(await openTeam({ url }))
    const store = unwrap(await openStore({ kind: 'postgres', url, space: 'main' }))
    const hubs = unwrap(await openHubs(url))
    const stop = new AbortController()
    const led = Promise.withResolvers<void>()
    const leading = store.lead(
      'judge',
      async (signal) => {
        led.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
      stop.signal,
    )
    try {
      await led.promise
      unwrap(await store.append([...generateNewEvents({ seed: 3, events: 300 })]))
      expect((await diagnosed()).get('hubs')).toMatchObject({ state: 'failed' })
      const hub = { host: 'studio', version: '1.0.0', address: 'http://127.0.0.1:8201', spaces: ['main'] }
      unwrap(await hubs.beat({ ...hub, id: 'a', pid: 1, bus: false }))
      const made = unwrap(
        await team.createToken({
          label: 'build machine',
          space: 'main',
          scope: 'ingest',
          role: 'member',
          expiresAt: Date.now() + 3 * 86_400_000,
        }),
      )
      unwrap(await team.identify(made.token))
      const found = await diagnosed()
      expect([...found.values()].filter((check) => !isWhole(check))).toEqual([])
      expect(found.get('hubs')).toMatchObject({ state: 'ok', detail: expect.stringContaining('studio (1') })
      expect(found.get('leads')?.detail).toContain(`judge by ${process.pid}@`)
      expect(found.get('growth')?.detail).toContain('300 events')
      expect(found.get('forwarders')?.detail).toMatch(
        /^1 token of machines: build machine \d s ago; events of .+ ago/,
      )
      expect(found.get('team')?.detail).toBe('0 people, 1 space opened')
      expect(found.get('schema')).toMatchObject({ state: 'ok' })
      expect(found.get('team_tokens')).toMatchObject({
        state: 'warning',
        cause: expect.stringContaining('build machine'),
      })
      unwrap(await hubs.beat({ ...hub, id: 'b', pid: 2, bus: true }))
      expect((await diagnosed()).get('hubs')).toMatchObject({
        state: 'failed',
        cause: expect.stringContaining('bus'),
      })
    } finally {
      stop.abort()
      await leading
      await hubs.close()
      await store.close()
      await team.close()
    }
  })

  it('finds an open transaction and the leftovers of a killed migration', async () => {
    const other = new Client({ connectionString: url, application_name: 'report' })
    await other.connect()
    try {
      await other.query('CREATE SCHEMA moving_space_other')
      expect((await diagnosed()).get('transactions')).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining('other'),
      })
      await other.query('DROP SCHEMA moving_space_other')
      await other.query('BEGIN')
      await other.query('SELECT 1')
      expect((await diagnosed()).get('transactions')?.detail).toContain('report')
    } finally {
      await other.end()
    }
  })

  it('explains what is wrong with an unreachable database or bus', async () => {
    const found = await diagnosed({
      url: 'postgres://127.0.0.1:1/none',
      bus: async () => ({ ok: false, code: 'busy', message: 'The bus at 127.0.0.1:1 does not answer.' }),
    })
    expect([...found.keys()]).toEqual(['database', 'bus', 'public_url'])
    expect([...found.values()].map(({ state }) => state)).toEqual(['failed', 'failed', 'ok'])
  })

  it('asks the public address whether a hub answers there', async () => {
    const statuses = [200, 503]
    const hub = createServer((_, response) => response.writeHead(statuses.shift() ?? 500).end())
    hub.listen(0, '127.0.0.1')
    await once(hub, 'listening')
    const publicUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
    expect((await diagnosed({ publicUrl })).get('public_url')).toMatchObject({ state: 'ok' })
    expect((await diagnosed({ publicUrl })).get('public_url')).toMatchObject({
      state: 'failed',
      cause: '/ready answers 503',
    })
    hub.close()
    hub.closeAllConnections()
    await once(hub, 'close')
    expect((await diagnosed({ publicUrl })).get('public_url')).toMatchObject({ state: 'failed' })
  })
})
