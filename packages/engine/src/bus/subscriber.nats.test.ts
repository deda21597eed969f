import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type EventRow, type EventStore, openStore, spaceSchema } from '@panoptes/engine/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { useNats, usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { type Standby, standbyOf } from '../store/postgres/standby.test-kit.ts'
import { spread } from './broadcaster.ts'
import { dropSpace, newSpace, parsed, publisherEvent, upTo, value } from './bus.test-kit.ts'
import { connectionOptions } from './connection.ts'
import { type Page, packPage, unpackPage } from './payload.ts'
import { busNames } from './streams.ts'
import { Hearing } from './subscriber.ts'

const postgres = usePostgres()
const nats = useNats()
let space = ''
let store: EventStore
let connection: NatsConnection
let standby: Standby
const end = { signal: new AbortController().signal, now: () => {} }

beforeEach(async () => {
  space = newSpace()
  store = value(await openStore({ kind: 'postgres', url: postgres, space }))
  connection = await connect(connectionOptions(nats))
  const stop = new AbortController()
  end.signal = stop.signal
  end.now = () => stop.abort()
  await append('a', 15)
  standby = await standbyOf(postgres, spaceSchema(space))
})
afterEach(async () => {
  end.now()
  await connection.close()
  await store.close()
  await standby.close()
  await dropSpace(postgres, space)
})

const append = async (who: string, count: number, from = 0) =>
  value(await store.append(upTo(count).map((n) => publisherEvent(who, from + n))))

const names = () => busNames(space, 'x')

const say = (page: Page) => {
  for (const message of packPage(page, 1_000_000)) connection.publish(names().rows, message)
}

/** The distance that the log is rewound depends on what was read before, so some rows may arrive twice. */
const back = () => new Promise<number>((heard) => store.onTurned?.((to) => to !== undefined && heard(to)))

const numbered = (rows: readonly EventRow[]) => parsed(rows).map(({ seq, key }) => `${seq} ${key}`)

it('delivers no row from a publisher that has not noticed the log was rewound', async () => {
  const hearing = new Hearing(store)
  hearing.listen(connection, names().rows)
  const rows: EventRow[] = []
  const following = (async () => {
    for await (const page of hearing.follow(0, end.signal)) rows.push(...page)
  })()
  await append('b', 10)
  await expect.poll(() => rows.length).toBe(25)
  const stale = rows.slice(20)
  const noticed = back()
  await standby.takeOver()
  const to = await noticed
  const since = () => numbered(rows.slice(25 + 15 - to))
  await append('c', 5)
  const real = upTo(6).map((n) => `${16 + n} c:${n}`)
  await expect.poll(since).toEqual(real.slice(0, 5))
  say({ after: 20, last: 25, rows: stale })
  await connection.flush()
  await append('c', 1, 5)
  say({ after: 21, last: 21, rows: [] })
  await expect.poll(() => since().length).toBeGreaterThan(5)
  expect(since()).toEqual(real)
  // From the seq the log was rewound to, rows are accepted again.
  const staleRows = [{ seq: 22, json: JSON.stringify({ seq: 22, ...publisherEvent('c', 6) }) }]
  say({ after: to, last: 22, rows: staleRows })
  await expect.poll(() => numbered(rows).at(-1)).toBe('22 c:6')
  end.now()
  await following
  await hearing.close()
})

it('announces rows under the seq that they follow, even after it announced rows that a rewind removed', async () => {
  await append('b', 10)
  const pages: Page[] = []
  connection.subscribe(names().rows, {
    callback: (_error, { data }) => {
      const page = unpackPage(data)
      if (page.rows.length > 0) pages.push(page)
    },
  })
  // This source does not report that the log was rewound.
  const from = {
    head: () => store.head(),
    subscribe: (after: number, signal: AbortSignal) => store.subscribe(after, signal),
  }
  const spreading = spread(connection, names(), from, end.signal)
  await append('b', 1, 10)
  await expect.poll(() => pages.map(({ after, last }) => [after, last])).toEqual([[25, 26]])
  const noticed = back()
  await standby.takeOver()
  await noticed
  await append('c', 5)
  await expect.poll(() => pages.at(-1)?.last).toBe(20)
  for (const { after, rows } of pages.slice(1)) expect(after).toBe((rows[0]?.seq ?? 0) - 1)
  end.now()
  await spreading
})
