import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from './ledger.ts'

const MEGABYTE = 1_048_576
const url = inject('postgres')
const schema = `retain_${randomUUID().replaceAll('-', '')}`
const client = new Client({ connectionString: url })
let ledger: Ledger

beforeAll(async () => {
  await client.connect()
  ledger = value(await openPostgresLedger({ url, schema, partition: 100 }))
})
afterAll(async () => {
  await ledger.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

describe('retention by size in a database', () => {
  it('drops no event for the room that sessions and their index take', async () => {
    const events = Array.from({ length: 1_000 }, (_, number) => ({
      v: 1 as const,
      key: `k${number}`,
      ts: 1_000 + number,
      event: 'prompt' as const,
      source: 'custom' as const,
      host: 'studio',
      session_id: 's1',
    }))
    value(await ledger.append(events))
    const { bytes } = value(await ledger.info())
    // Random, since the server stores what repeats in little room.
    const words = `(SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 200000))`
    await client.query(`CREATE TABLE ${schema}.index_words AS SELECT ${words} AS word`)
    await client.query(
      `INSERT INTO ${schema}.transcript_records (telling, number, size, doc) VALUES (1, 1, 1, ${words})`,
    )
    expect(value(await ledger.retain({ maxBytes: bytes + MEGABYTE }))).toBe(0)
    expect(value(await ledger.info()).bytes).toBeLessThan(bytes + MEGABYTE)
    // The log itself is still held to it.
    expect(value(await ledger.retain({ maxBytes: 1 }))).toBeGreaterThan(800)
  })
})
