import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type EventRow, type Ledger, openLedger, schemaOf } from '@panoptes/engine/ledger'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type Standby, standbyOf } from '../ledger/postgres/standby.test-kit.ts'
import { dropSpace, newSpace, parsed, told, upTo, value } from './bus.test-kit.ts'
import { optionsOf } from './connect.ts'
import { Hearing } from './hearing.ts'
import { namesOf } from './names.ts'
import { type Page, packPage, unpackPage } from './payload.ts'
import { spread } from './spread.ts'

const postgres = inject('postgres')
let space = ''
let ledger: Ledger
let connection: NatsConnection
let standby: Standby
const end = { signal: new AbortController().signal, now: () => {} }

beforeEach(async () => {
  space = newSpace()
  ledger = value(await openLedger({ kind: 'postgres', url: postgres, space }))
  connection = await connect(optionsOf(inject('nats')))
  const stop = new AbortController()
  end.signal = stop.signal
  end.now = () => stop.abort()
  await append('a', 15)
  standby = await standbyOf(postgres, schemaOf(space))
})
afterEach(async () => {
  end.now()
  await connection.close()
  await ledger.close()
  await standby.close()
  await dropSpace(postgres, space)
})

const append = async (who: string, count: number, from = 0) =>
  value(await ledger.append(upTo(count).map((n) => told(who, from + n))))

const names = () => namesOf(space, 'x')

const say = (page: Page) => {
  for (const message of packPage(page, 1_000_000)) connection.publish(names().rows, message)
}

/** How far it goes back depends on what was looked at before: some rows may come twice. */
const back = () => new Promise<number>((heard) => ledger.onTurned?.((to) => to !== undefined && heard(to)))

const numbered = (rows: readonly EventRow[]) => parsed(rows).map(({ seq, key }) => `${seq} ${key}`)

it('hands out no row that somebody tells of who has not noticed that the log went back', async () => {
  const hearing = new Hearing(ledger)
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
  // From where it went back on they are taken again.
  const foretold = [{ seq: 22, json: JSON.stringify({ seq: 22, ...told('c', 6) }) }]
  say({ after: to, last: 22, rows: foretold })
  await expect.poll(() => numbered(rows).at(-1)).toBe('22 c:6')
  end.now()
  await following
  await hearing.close()
})

it('tells of rows from where they begin, also where it went on to tell of some that never were', async () => {
  await append('b', 10)
  const pages: Page[] = []
  connection.subscribe(names().rows, {
    callback: (_error, { data }) => {
      const page = unpackPage(data)
      if (page.rows.length > 0) pages.push(page)
    },
  })
  // Nobody tells it that the log went back.
  const from = {
    head: () => ledger.head(),
    subscribe: (after: number, signal: AbortSignal) => ledger.subscribe(after, signal),
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
