import { randomUUID } from 'node:crypto'
import { pause } from '@panoptes/engine/abortable'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { openPostgresStore } from './postgres-store.ts'
import { standbyOf } from './standby.test-kit.ts'

const url = usePostgres()
let schema = ''
let client: Client
let store: EventStore

const events = (from: number, to: number, session: string) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    v: 1 as const,
    key: `${session}-${from + n}`,
    ts: 1_000 + from + n,
    event: 'prompt' as const,
    source: 'custom' as const,
    host: 'studio',
    session_id: session,
  }))

beforeEach(async () => {
  schema = `back_${randomUUID().replaceAll('-', '')}`
  client = new Client({ connectionString: url })
  await client.connect()
  store = value(await openPostgresStore({ url, schema, partition: 10 }))
})
afterEach(async () => {
  await store.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

const readSessionIds = async (from: EventStore) =>
  Object.fromEntries(
    value(await from.sessions({ limit: 10 })).value.map(({ session_id, events }) => [session_id, events]),
  )

/** Follows the log from the beginning and records each row as `seq key`. */
function follow() {
  const end = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const page of store.subscribe(0, end.signal))
      for (const { seq, json } of page) seen.push(`${seq} ${(JSON.parse(json) as { key: string }).key}`)
  })()
  return {
    seen,
    end: async () => {
      end.abort()
      await following
    },
  }
}

const asSeen = (from: number, to: number, session: string, seq: number) =>
  events(from, to, session).map(({ key }, n) => `${seq + n} ${key}`)

describe('log that is rewound under a running process', () => {
  it('continues at its present end for appends and subscribers', async () => {
    value(await store.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const { seen, end } = follow()
    value(await store.append(events(16, 25, 'first')))
    await expect.poll(() => seen.length).toBe(25)
    await standby.takeOver()
    await standby.close()
    // This is longer than a subscriber needs to check for itself.
    await pause(1_500)
    expect(value(await store.append(events(1, 8, 'second'))).last).toBe(23)
    await expect.poll(() => seen.slice(25)).toEqual(asSeen(1, 8, 'second', 16))
    await end()
    expect(await readSessionIds(store)).toEqual({ first: 15, second: 8 })
    // The rows contain no event that was lost.
    value(await store.append(events(30, 31, 'first')))
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
  })

  it.each([5, 15])('is detected although others have appended %i events at once', async (count) => {
    const other = value(await openPostgresStore({ url, schema, partition: 10 }))
    value(await other.append([], { warm: '1' }))
    value(await store.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const { seen, end } = follow()
    await expect.poll(() => seen.length).toBe(15)
    value(await store.append(events(16, 25, 'first')))
    await expect.poll(() => seen.length).toBe(25)
    const turned: (number | undefined)[] = []
    store.onTurned?.((back) => turned.push(back))
    await standby.takeOver(async () => {
      expect(value(await other.append(events(1, count, 'second'))).last).toBe(15 + count)
    })
    await standby.close()
    await expect.poll(() => seen.slice(25)).toEqual(asSeen(1, count, 'second', 16))
    expect(turned).toEqual([15])
    value(await store.append(events(40, 41, 'first')))
    await end()
    expect(await readSessionIds(store)).toEqual({ first: 17, second: count })
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    await other.close()
  })

  it('is detected by a process without subscribers although others keep appending', async () => {
    const other = value(await openPostgresStore({ url, schema, partition: 10 }))
    value(await other.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const turned: (number | undefined)[] = []
    store.onTurned?.((back) => turned.push(back))
    for (let n = 16; n <= 30; n += 1) {
      value(await other.append(events(n, n, 'first')))
      await pause(120)
    }
    await standby.takeOver(async () => {
      expect(value(await other.append(events(1, 40, 'second'))).last).toBe(55)
    })
    await standby.close()
    await expect.poll(() => turned.length).toBe(1)
    expect(turned[0]).toBeLessThanOrEqual(15)
    await other.close()
  })

  it('is detected for rows that the process got elsewhere and has not read yet', async () => {
    const other = value(await openPostgresStore({ url, schema, partition: 10 }))
    value(await other.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    value(await other.append(events(16, 25, 'first')))
    const back = new Promise<number>((heard) => store.onTurned?.((to) => to !== undefined && heard(to)))
    for (const row of value(await other.read({ after: 15, limit: 10 })).rows) store.noteRow?.(row)
    await standby.takeOver(async () => {
      expect(value(await other.append(events(1, 40, 'second'))).last).toBe(55)
    })
    await standby.close()
    expect(await back).toBeLessThanOrEqual(15)
    await other.close()
  })
})
