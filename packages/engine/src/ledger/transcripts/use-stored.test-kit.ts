import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from '../postgres/ledger.ts'
import { openTranscripts } from './open.ts'
import type { Transcripts } from './port.ts'
import { value } from './transcripts.test-kit.ts'

/** A schema for each test of a file, with its ledger and the sessions that are stored in it. */
export function useStored() {
  const url = inject('postgres')
  const client = new Client({ connectionString: url })
  const stored = { url, client, schema: '', ledger: {} as Ledger, transcripts: {} as Transcripts }
  beforeAll(() => client.connect())
  afterAll(() => client.end())
  beforeEach(async () => {
    stored.schema = `told_${randomUUID().replaceAll('-', '')}`
    stored.ledger = value(await openPostgresLedger({ url, schema: stored.schema }))
    stored.transcripts = value(await openTranscripts({ url, schema: stored.schema }))
  })
  afterEach(async () => {
    await stored.transcripts.close()
    await stored.ledger.close()
    await client.query(`DROP SCHEMA ${stored.schema} CASCADE`)
  })
  return stored
}
