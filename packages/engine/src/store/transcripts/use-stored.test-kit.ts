import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import type { EventStore } from '../port.ts'
import { Emptied } from '../postgres/empty-store.test-kit.ts'
import { openPostgresStore } from '../postgres/postgres-store.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import { value } from './transcripts.test-kit.ts'

/** Gives each test of a file a schema with its store and the sessions stored in it. */
export function useStored() {
  const url = usePostgres()
  const client = new Client({ connectionString: url })
  const stored = { url, client, schema: '', store: {} as EventStore, transcripts: {} as Transcripts }
  const emptied = new Emptied(client)
  const made: string[] = []
  beforeAll(() => client.connect())
  afterAll(async () => {
    for (const schema of made) await client.query(`DROP SCHEMA ${schema} CASCADE`)
    await client.end()
  })
  beforeEach(async () => {
    const used = emptied.take()
    stored.schema = used ?? `told_${randomUUID().replaceAll('-', '')}`
    stored.store = value(await openPostgresStore({ url, schema: stored.schema }))
    if (used === undefined) {
      made.push(stored.schema)
      await emptied.see(stored.schema)
    }
    stored.transcripts = value(await openTranscripts({ url, schema: stored.schema }))
  })
  afterEach(async () => {
    await stored.transcripts.close()
    await stored.store.close()
    await emptied.give(stored.schema)
  })
  return stored
}
