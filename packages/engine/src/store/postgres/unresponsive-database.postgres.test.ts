import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { type Connection, openDatabase } from './database.ts'
import { openPostgresStore } from './postgres-store.ts'

const place = new URL(usePostgres())
const schema = `silent_${randomUUID().replaceAll('-', '')}`
const server = new Client({ connectionString: place.href })
const open = new Set<Socket>()
const link = createServer((near) => {
  const far = connect({ host: place.hostname, port: Number(place.port) })
  for (const socket of [near, far]) {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => open.delete(socket))
  }
  near.pipe(far).pipe(near)
})
/** Open connections go silent without being closed, while new connections work. */
const vanish = () => {
  for (const socket of open) {
    socket.unpipe()
    socket.pause()
  }
}
let store: EventStore
let number = 0

const appended = () => {
  number += 1
  return store.append([
    { v: 1, key: `k${number}`, ts: number, event: 'prompt', source: 'custom', host: 'a', session_id: 's' },
  ])
}

beforeAll(async () => {
  await server.connect()
  link.listen(0, '127.0.0.1')
  await once(link, 'listening')
  const url = Object.assign(new URL(place), {
    hostname: '127.0.0.1',
    port: String((link.address() as AddressInfo).port),
  }).href
  store = value(await openPostgresStore({ url, schema }))
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await store.close()
  link.close()
  await server.query(`DROP SCHEMA ${schema} CASCADE`)
  await server.end()
})

describe('database that stops answering', () => {
  it('is given up within half a minute, with all its connections, by appends and subscribers', async () => {
    // The calls keep several connections open.
    await Promise.all([appended(), ...Array.from({ length: 6 }, () => store.counters())])
    const end = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const rows of store.subscribe(0, end.signal)) seen.push(...rows.map(({ seq }) => seq))
    })()
    await expect.poll(() => seen).toEqual([1])
    vanish()
    const began = performance.now()
    const [lost, counters] = await Promise.all([appended(), store.counters()])
    expect(lost).toMatchObject({ ok: false, code: 'busy' })
    expect(counters).toMatchObject({ ok: false, code: 'busy' })
    value(await appended())
    expect(value(await store.counters()).seq).toBe(2)
    await expect.poll(() => seen).toEqual([1, 2])
    expect(performance.now() - began).toBeLessThan(60_000)
    end.abort()
    await following
  })
})

it('releases what a vanished computer held within seconds', async () => {
  const database = openDatabase(place.href, schema)
  const settings = `SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp_keepalives%' ORDER BY name`
  expect(await database.rows(settings)).toEqual([
    { name: 'tcp_keepalives_count', setting: '3' },
    { name: 'tcp_keepalives_idle', setting: '5' },
    { name: 'tcp_keepalives_interval', setting: '2' },
  ])
  await database.close()
})

it('cancels a query on the server before the client gives up, except for long work', async () => {
  const readLimits = async (options: Parameters<typeof openDatabase>[2]) => {
    const database = openDatabase(place.href, schema, { max: 1, ...options })
    const limit = async ({ row }: Connection) => (await row('SHOW statement_timeout'))?.statement_timeout
    const found = [
      await database.withConnection(limit),
      await database.withoutTimeout(limit),
      await database.withConnection(limit),
    ]
    await database.close()
    return found
  }
  expect(await readLimits({})).toEqual(['24s', '0', '24s'])
  expect(await readLimits({ patient: true })).toEqual(['0', '0', '0'])
})
