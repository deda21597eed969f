import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import { keepBeating } from './heartbeat.ts'
import type { Hub, Hubs } from './port.ts'
import { openHubs } from './postgres.ts'

const name = `hubs_${randomUUID().replaceAll('-', '')}`
const postgres = usePostgres()
const server = new Client({ connectionString: postgres })
const url = Object.assign(new URL(postgres), { pathname: `/${name}` }).href
let hubs: Hubs

const hub = (id: string, more: Partial<Hub> = {}): Hub => ({
  id,
  host: 'studio',
  pid: 12,
  version: '1.0.0',
  address: 'http://127.0.0.1:8201',
  bus: false,
  spaces: ['main'],
  ...more,
})

beforeAll(async () => {
  await server.connect()
  await server.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  const opened = await Promise.all([openHubs(url), openHubs(url), openHubs(url)])
  hubs = value(opened[0])
  for (const other of opened.slice(1)) await value(other).close()
})
afterAll(async () => {
  await hubs.close()
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await server.end()
})

describe('hub heartbeats', () => {
  it('list live hubs with their latest report', async () => {
    value(await hubs.beat(hub('a')))
    value(await hubs.beat(hub('b', { bus: true })))
    value(await hubs.beat(hub('a', { spaces: ['main', 'other'] })))
    const seen = value(await hubs.list())
    expect(seen.map(({ id, bus, spaces }) => ({ id, bus, spaces }))).toEqual([
      { id: 'b', bus: true, spaces: ['main'] },
      { id: 'a', bus: false, spaces: ['main', 'other'] },
    ])
    expect(seen.every(({ seen_ms_ago }) => seen_ms_ago < 60_000)).toBe(true)
    value(await hubs.leave('b'))
    expect(value(await hubs.list()).map(({ id }) => id)).toEqual(['a'])
    value(await hubs.leave('a'))
  })

  it('report a hub at once and remove it when it stops', async () => {
    const stop = new AbortController()
    const beating = keepBeating(hubs, () => hub('c'), stop.signal)
    await expect.poll(async () => value(await hubs.list()).length).toBe(1)
    stop.abort()
    await beating
    expect(value(await hubs.list())).toEqual([])
  })

  it('drop a hub from the list after a day', async () => {
    const other = new Client({ connectionString: url })
    await other.connect()
    value(await hubs.beat(hub('old')))
    await other.query("UPDATE panoptes_team.hubs SET seen_at = seen_at - interval '25 hours'")
    await other.end()
    expect(value(await hubs.list())).toEqual([])
  })
})
