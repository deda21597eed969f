import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import type { Ledger } from '../port.ts'
import { Emptied } from '../postgres/emptied.test-kit.ts'
import { openPostgresLedger } from '../postgres/ledger.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import { value } from './transcripts.test-kit.ts'

/** A schema for each test of a file, with its ledger and the sessions that are stored in it. */
export function useStored() {
  const url = inject('postgres')
  const client = new Client({ connectionString: url })
  const stored = { url, client, schema: '', ledger: {} as Ledger, transcripts: {} as Transcripts }
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
    stored.ledger = value(await openPostgresLedger({ url, schema: stored.schema }))
    if (used === undefined) {
      made.push(stored.schema)
      await emptied.see(stored.schema)
    }
    stored.transcripts = value(await openTranscripts({ url, schema: stored.schema }))
  })
  afterEach(async () => {
    await stored.transcripts.close()
    await stored.ledger.close()
    await emptied.give(stored.schema)
  })
  return stored
}
