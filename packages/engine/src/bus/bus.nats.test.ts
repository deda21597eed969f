import { randomBytes } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { spaceSchema } from '@panoptes/engine/store'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useNats, usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import {
  dropSpace,
  type Hub,
  newSpace,
  numbersByHost,
  openHub,
  type Place,
  parsed,
  publisherEvent,
  tell,
  upTo,
  value,
} from './bus.test-kit.ts'

const postgres = usePostgres()
const url = useNats()
let space = ''
const hubs: Hub[] = []

const open = async (more: Partial<Place> = {}): Promise<Hub> => {
  const hub = await openHub({ url, postgres, space, ...more })
  hubs.push(hub)
  return hub
}

beforeEach(() => {
  space = newSpace()
})
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close()
  await dropSpace(postgres, space)
})

const reached = (hub: Hub, count: number) =>
  expect.poll(() => hub.rows.length, { timeout: 30_000, interval: 20 }).toBe(count)

describe('bus', () => {
  it('stores what any hub published, each event once, and delivers rows to every hub in order', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await Promise.all([
      tell('a', 500, [one.bus]),
      tell('b', 500, [two.bus]),
      tell('c', 500, [one.bus, two.bus], 7),
    ])
    for (const hub of [one, two]) {
      await reached(hub, 1_500)
      expect(hub.rows.map(({ seq }) => seq)).toEqual(upTo(1_500).map((n) => n + 1))
      expect(numbersByHost(hub.rows)).toEqual({ a: upTo(500), b: upTo(500), c: upTo(500) })
    }
    expect(one.rows).toEqual(two.rows)
    expect(one.rows).toEqual(value(await one.store.read({ after: 0, limit: 2_000 })).rows)
    expect([one, two].filter(({ bus }) => bus.health().isWriter)).toHaveLength(1)
  })

  it('stores an event once when it is published twice, on whichever hubs', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await tell('a', 60, [one.bus])
    await tell('a', 60, [two.bus], 25)
    await tell('b', 10, [two.bus])
    await reached(one, 70)
    expect(numbersByHost(one.rows)).toEqual({ a: upTo(60), b: upTo(10) })
  })

  it('also delivers rows that were stored without the bus', async () => {
    const [one, two] = await Promise.all([open(), open()])
    value(await one.store.append([publisherEvent('direct', 0)]))
    value(await two.store.append([publisherEvent('direct', 1)]))
    for (const hub of [one, two]) {
      await reached(hub, 2)
      expect(numbersByHost(hub.rows)).toEqual({ direct: [0, 1] })
    }
  })

  it('gives a late hub every row after the seq it asks for', async () => {
    const one = await open()
    await tell('a', 2_500, [one.bus], 100)
    await reached(one, 2_500)
    const late = await open()
    await tell('b', 10, [one.bus])
    await Promise.all([reached(one, 2_510), reached(late, 2_510)])
    expect(late.rows).toEqual(one.rows)
    const end = new AbortController()
    const seqs: number[] = []
    for await (const rows of late.bus.subscribe(2_505, end.signal)) {
      seqs.push(...rows.map(({ seq }) => seq))
      if (seqs.length >= 5) end.abort()
    }
    expect(seqs).toEqual([2_506, 2_507, 2_508, 2_509, 2_510])
  })

  it('skips the seqs of forgotten events when it delivers rows', async () => {
    const one = await open()
    await tell('a', 20, [one.bus])
    await tell('b', 5, [one.bus])
    await reached(one, 25)
    const gone = [{ source: 'custom', id: 'a' }]
    value(await one.store.forgetting.begin(gone))
    value(await one.store.forgetting.remove(gone))
    const late = await open()
    await tell('b', 8, [late.bus])
    await reached(late, 8)
    expect(numbersByHost(late.rows)).toEqual({ b: upTo(8) })
  })

  it('sets aside an event that the store rejects and continues with the others', async () => {
    const warn = vi.fn()
    const one = await open({ warn })
    const bad = publisherEvent('a', 3, { key: `a:3${'x'.repeat(9_000)}${Math.random()}`, ts: 1e30 })
    value(
      await one.bus.publish([
        publisherEvent('a', 0),
        publisherEvent('a', 1),
        publisherEvent('a', 2),
        bad,
        publisherEvent('a', 4),
      ]),
    )
    await tell('b', 10, [one.bus])
    await reached(one, 14)
    expect(numbersByHost(one.rows)).toEqual({ a: [0, 1, 2, 4], b: upTo(10) })
    expect(warn).toHaveBeenCalledOnce()
    expect(one.bus.health()).toMatchObject({ refused: 1, problem: null })
  })

  it('keeps unreadable data unchanged and loses no event beside it', async () => {
    const warn = vi.fn()
    const one = await open({ warn })
    await tell('a', 1, [one.bus])
    await reached(one, 1)
    const connection = await connect({ servers: url })
    const jsm = await jetstreamManager(connection)
    const own = `panoptes_${space}_${value(await one.store.marks(['bus'])).bus}`
    const subject = own.replaceAll('_', '.')
    const broken = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])
    const js = jsm.jetstream()
    await js.publish(`${subject}.in`, broken)
    await js.publish(
      `${subject}.in`,
      [JSON.stringify(publisherEvent('b', 0)), '{"half', '7', JSON.stringify(publisherEvent('b', 1))].join(
        '\n',
      ),
    )
    await reached(one, 3)
    expect(numbersByHost(one.rows)).toEqual({ a: [0], b: [0, 1] })
    await expect.poll(() => warn.mock.calls.length).toBe(3)
    const rejected = await Promise.all(
      [1, 2, 3].map((seq) => jsm.streams.getMessage(`${own}_refused`, { seq })),
    )
    expect(rejected.map((message) => Buffer.from(message?.data ?? []))).toEqual([
      Buffer.from(broken),
      Buffer.from('{"half'),
      Buffer.from('7'),
    ])
    await expect.poll(() => one.bus.health().waiting).toBe(0)
    await connection.close()
  })

  it('rejects events beyond its limit with a clear error and stores all that it accepted', async () => {
    const one = await open({ mostBytes: 65_536 })
    await tell('a', 1, [one.bus])
    await reached(one, 1)
    const noise = () => randomBytes(6_000).toString('base64')
    const taken: number[] = []
    await whileNobodyAppends(async () => {
      for (let n = 0; n < 20; n += 1) {
        const answer = await one.bus.publish([publisherEvent('b', n, { text: noise() })])
        if (answer.ok) taken.push(n)
        else expect(answer).toMatchObject({ code: 'busy', message: expect.stringContaining('is full') })
      }
    })
    expect(taken.length).toBeGreaterThan(4)
    expect(taken.length).toBeLessThan(20)
    await reached(one, 1 + taken.length)
    expect(numbersByHost(one.rows)).toEqual({ a: [0], b: taken })
  })

  it('keeps two stores with the same name apart on one server', async () => {
    const other = await open()
    await tell('a', 5, [other.bus])
    await reached(other, 5)
    const elsewhere = { ...(await otherDatabase()), space }
    const one = await open(elsewhere)
    await tell('b', 5, [one.bus])
    await reached(one, 5)
    expect(numbersByHost(one.rows)).toEqual({ b: upTo(5) })
    await tell('a', 9, [other.bus])
    await reached(other, 9)
    expect(numbersByHost(other.rows)).toEqual({ a: upTo(9) })
  })

  it('recreates a removed stream and ignores messages of other programs', async () => {
    const one = await open()
    await tell('a', 5, [one.bus])
    await reached(one, 5)
    const stranger = await connect({ servers: new URL(url).host })
    const manager = await jetstreamManager(stranger)
    const names: string[] = []
    for await (const { config } of manager.streams.list())
      if (config.name.includes(space)) names.push(config.name)
    expect(names).toHaveLength(2)
    for (const name of names) await manager.streams.delete(name)
    await tell('a', 10, [one.bus])
    await reached(one, 10)
    for await (const { config } of manager.streams.list())
      if (config.name.includes(space))
        for (const word of ['', 'nonsense', '{}', '(nonsense', '{"after":1}\n{'])
          for (const subject of [...config.subjects, config.subjects[0]?.replace(/in$/, 'rows') ?? ''])
            stranger.publish(subject, word)
    await stranger.drain()
    await tell('a', 15, [one.bus])
    await reached(one, 15)
    expect(numbersByHost(one.rows)).toEqual({ a: upTo(15) })
  })

  it('reports how many messages wait and which process writes them', async () => {
    const one = await open()
    await tell('a', 5, [one.bus])
    await reached(one, 5)
    await expect
      .poll(() => one.bus.health())
      .toMatchObject({ waiting: 0, lagMs: 0, isWriter: true, replicas: 1, problem: null, mostBytes: 2 ** 30 })
    expect(parsed(one.rows)).toHaveLength(5)
  })

  it('rejects events after it was closed', async () => {
    const one = await open()
    await one.bus.close()
    expect(await one.bus.publish([publisherEvent('a', 0)])).toMatchObject({ ok: false, code: 'closed' })
  })
})

async function whileNobodyAppends(work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: postgres })
  await client.connect()
  await client.query(`BEGIN; SELECT FROM ${spaceSchema(space)}.head FOR UPDATE`)
  await work()
  await client.query('COMMIT')
  await client.end()
}

/** Creates a second database on the same server. */
async function otherDatabase(): Promise<{ readonly postgres: string }> {
  const client = new Client({ connectionString: postgres })
  await client.connect()
  await client.query(`CREATE DATABASE ${space}`)
  await client.end()
  const address = new URL(postgres)
  address.pathname = `/${space}`
  return { postgres: address.href }
}
