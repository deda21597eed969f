import { type EventStore, openStore, spaceSchema } from '@panoptes/engine/store'
import type { NewEvent } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { dropSpace, newSpace, numbersByHost, publisherEvent, value } from './bus.test-kit.ts'
import { storeEvents } from './writer.ts'

const url = usePostgres()
const space = newSpace()
const client = new Client({ connectionString: url })
let store: EventStore

beforeAll(async () => {
  await client.connect()
  await client.query(`SET search_path = ${spaceSchema(space)}`)
  store = value(await openStore({ kind: 'postgres', url, space }))
})
afterAll(async () => {
  await store.close()
  await client.end()
  await dropSpace(url, space)
})

const stored = async () => numbersByHost(value(await store.read({ after: 0, limit: 100 })).rows)

it('sets no event aside while the database tables accept none, and later stores all in order', async () => {
  for (const [n, table] of ['event_keys', 'events', 'projection_rows'].entries()) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`)
    const refused: NewEvent[] = []
    const problems: (string | null)[] = []
    const end = new AbortController()
    const storing = storeEvents(
      [publisherEvent(table, 0), publisherEvent(table, 1), publisherEvent(table, 2)],
      {
        store,
        signal: end.signal,
        problem: (text) => problems.push(text),
        refuse: async (event) => void refused.push(event),
      },
    )
    await expect.poll(() => problems.length).toBeGreaterThan(3)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`)
    expect([await storing, refused], table).toEqual([true, []])
    expect(Object.entries(await stored())[n]).toEqual([table, [0, 1, 2]])
  }
  expect(value(await store.rebuild({ check: true })).differences).toBe(0)
})

it('leaves no trace of the event that probes the database tables', async () => {
  const { last } = value(await store.head())
  const bad = publisherEvent('bad', 0, { key: Array.from({ length: 9_000 }, () => Math.random()).join('') })
  expect(await store.append([bad])).toMatchObject({ ok: false, code: 'io' })
  expect(value(await store.append([publisherEvent('good', 0)])).last).toBe(last + 1)
  expect(Object.keys(await stored()).at(-1)).toBe('good')
  const { value: sessions } = value(await store.sessions({ limit: 100 }))
  expect(sessions.map(({ session_id }) => session_id)).not.toContain('probe')
  expect(value(await store.rebuild({ check: true })).differences).toBe(0)
})
