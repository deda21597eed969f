import { type Ledger, openLedger, schemaOf } from '@panoptes/engine/ledger'
import type { NewEvent } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { dropSpace, newSpace, numbersOf, told, value } from './bus.test-kit.ts'
import { store } from './storing.ts'

const url = inject('postgres')
const space = newSpace()
const client = new Client({ connectionString: url })
let ledger: Ledger

beforeAll(async () => {
  await client.connect()
  await client.query(`SET search_path = ${schemaOf(space)}`)
  ledger = value(await openLedger({ kind: 'postgres', url, space }))
})
afterAll(async () => {
  await ledger.close()
  await client.end()
  await dropSpace(url, space)
})

const stored = async () => numbersOf(value(await ledger.read({ after: 0, limit: 100 })).rows)

it('sets nothing aside while the tables take no event at all, and stores everything in its order afterwards', async () => {
  for (const [n, table] of ['event_keys', 'events', 'projection_rows'].entries()) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`)
    const refused: NewEvent[] = []
    const problems: (string | null)[] = []
    const end = new AbortController()
    const storing = store([told(table, 0), told(table, 1), told(table, 2)], {
      ledger,
      signal: end.signal,
      problem: (text) => problems.push(text),
      refuse: async (event) => void refused.push(event),
    })
    await expect.poll(() => problems.length).toBeGreaterThan(3)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`)
    expect([await storing, refused], table).toEqual([true, []])
    expect(Object.entries(await stored())[n]).toEqual([table, [0, 1, 2]])
  }
  expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
})

it('leaves nothing of what it finds out with', async () => {
  const { last } = value(await ledger.head())
  const bad = told('bad', 0, { key: Array.from({ length: 9_000 }, () => Math.random()).join('') })
  expect(await ledger.append([bad])).toMatchObject({ ok: false, code: 'io' })
  expect(value(await ledger.append([told('good', 0)])).last).toBe(last + 1)
  expect(Object.keys(await stored()).at(-1)).toBe('good')
  const { value: sessions } = value(await ledger.sessions({ limit: 100 }))
  expect(sessions.map(({ session_id }) => session_id)).not.toContain('probe')
  expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
})
