import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from './ledger.ts'

const url = inject('postgres')
const schema = `back_${randomUUID().replaceAll('-', '')}`
const client = new Client({ connectionString: url })
let ledger: Ledger

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

beforeAll(async () => {
  await client.connect()
  await client.query(`SET search_path = ${schema}`)
  ledger = value(await openPostgresLedger({ url, schema, partition: 10 }))
})
afterAll(async () => {
  await ledger.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

/** The server as it was when the log ended there, as a standby has it that takes over. */
async function standby(rows: readonly Record<string, unknown>[], last: number): Promise<void> {
  await client.query('BEGIN')
  await client.query('DELETE FROM event_keys WHERE seq > $1', [last])
  await client.query('DELETE FROM checkpoints WHERE seq > $1', [last])
  await client.query('DELETE FROM events WHERE seq > $1', [last])
  await client.query('DROP TABLE events_p2')
  await client.query('TRUNCATE projection_rows')
  await client.query(
    'INSERT INTO projection_rows SELECT * FROM json_populate_recordset(NULL::projection_rows, $1::json)',
    [JSON.stringify(rows)],
  )
  await client.query('UPDATE head SET last = $1', [last])
  await client.query('COMMIT')
}

describe('a log that goes back under a running process', () => {
  it('is gone on with where it ends now, by who appends and who follows', async () => {
    value(await ledger.append(events(1, 15, 'first')))
    const { rows } = await client.query('SELECT * FROM projection_rows')
    const end = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const page of ledger.subscribe(0, end.signal))
        for (const { seq, json } of page) seen.push(`${seq} ${(JSON.parse(json) as { key: string }).key}`)
    })()
    value(await ledger.append(events(16, 25, 'first')))
    await expect.poll(() => seen.length).toBe(25)
    await standby(rows, 15)
    // Longer than it takes to look by itself.
    await new Promise((wait) => setTimeout(wait, 1_500))
    expect(value(await ledger.append(events(1, 8, 'second'))).last).toBe(23)
    await expect
      .poll(() => seen.slice(25))
      .toEqual(events(1, 8, 'second').map(({ key }, n) => `${16 + n} ${key}`))
    end.abort()
    await following
    const summaries = value(await ledger.sessions({ limit: 10 })).value
    expect(Object.fromEntries(summaries.map(({ session_id, events }) => [session_id, events]))).toEqual({
      first: 15,
      second: 8,
    })
    // Nothing of what never was is in the rows.
    value(await ledger.append(events(30, 31, 'first')))
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
  })
})
