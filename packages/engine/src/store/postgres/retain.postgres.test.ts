import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { openPostgresStore } from './postgres-store.ts'

const MEGABYTE = 1_048_576
const url = usePostgres()
const schema = `retain_${randomUUID().replaceAll('-', '')}`
const client = new Client({ connectionString: url })
let store: EventStore

beforeAll(async () => {
  await client.connect()
  store = value(await openPostgresStore({ url, schema, partition: 100 }))
})
afterAll(async () => {
  await store.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

describe('retention by size in a database', () => {
  it('drops no event because of the space that sessions and their index use', async () => {
    const events = Array.from({ length: 1_000 }, (_, number) => ({
      v: 1 as const,
      key: `k${number}`,
      ts: 1_000 + number,
      event: 'prompt' as const,
      source: 'custom' as const,
      host: 'studio',
      session_id: 's1',
    }))
    value(await store.append(events))
    const { bytes } = value(await store.info())
    // The text is random, because the server compresses repetitions.
    const words = `(SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 200000))`
    await client.query(`CREATE TABLE ${schema}.index_words AS SELECT ${words} AS word`)
    await client.query(
      `INSERT INTO ${schema}.transcript_records (telling, number, size, doc) VALUES (1, 1, 1, ${words})`,
    )
    expect(value(await store.retain({ maxBytes: bytes + MEGABYTE }))).toBe(0)
    expect(value(await store.info()).bytes).toBeLessThan(bytes + MEGABYTE)
    // The limit still applies to the log itself.
    expect(value(await store.retain({ maxBytes: 1 }))).toBeGreaterThan(800)
  })
})
