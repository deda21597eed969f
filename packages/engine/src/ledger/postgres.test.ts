import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { describeAccounting } from './conformance/accounting.ts'
import { describeAchieving } from './conformance/achieving.ts'
import { describeAnyPast } from './conformance/any-past.ts'
import { describeAppending } from './conformance/appending.ts'
import { describeBackingUp } from './conformance/backing-up.ts'
import { describeHiding } from './conformance/hiding.ts'
import { type LedgerLab, value } from './conformance/lab.ts'
import { describeLiving } from './conformance/living.ts'
import { describeMarked } from './conformance/marked.ts'
import { describeMarking } from './conformance/marking.ts'
import { describeProjecting } from './conformance/projecting.ts'
import { describeReading } from './conformance/reading.ts'
import { describeRebuilding } from './conformance/rebuilding.ts'
import { describeReplaying } from './conformance/replaying.ts'
import { describeRetaining } from './conformance/retaining.ts'
import { describeSubscribing } from './conformance/subscribing.ts'
import { describeTemplating } from './conformance/templating.ts'
import { describeTurning } from './conformance/turning.ts'
import type { Ledger } from './port.ts'
import { type LedgerCore, openPostgresLedger, restorePostgresLedger } from './postgres/ledger.ts'

const url = inject('postgres')
const folder = mkdtempSync(join(tmpdir(), 'panoptes-postgres-copies-'))
const schemas = new Set<string>()
const client = new Client({ connectionString: url })

beforeAll(() => client.connect())
afterAll(async () => {
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
  rmSync(folder, { recursive: true, force: true })
})

const newSchema = (): string => {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  schemas.add(schema)
  return schema
}

const opened = (result: Result<LedgerCore>): Ledger => value(result) as Ledger

/** Small partitions, so that retention has some to drop. */
const open = async (schema: string): Promise<Ledger> =>
  opened(await openPostgresLedger({ url, schema, partition: 2_500 }))

const lab: LedgerLab<string> = {
  open: async () => {
    const place = newSchema()
    return { place, ledger: await open(place) }
  },
  reopen: open,
  destroy: async (place) => void (await client.query(`DROP SCHEMA ${place} CASCADE`)),
  backupFile: () => join(folder, `${randomUUID()}.dump`),
  restore: async (file) => opened(await restorePostgresLedger({ url, schema: newSchema() }, file)),
  spoil: async (place) => {
    await client.query(
      `UPDATE ${place}.projection_rows SET doc = regexp_replace(doc, '"events":\\d+', '"events":7') WHERE name = 'counters'`,
    )
    await client.query(`DELETE FROM ${place}.projection_rows WHERE name = 'agents' AND key IN
      (SELECT key FROM ${place}.projection_rows WHERE name = 'agents' LIMIT 3)`)
  },
}

describe('the PostgreSQL ledger', () => {
  const any = lab as LedgerLab
  describeAccounting(any)
  describeAppending(any)
  describeReading(any)
  describeSubscribing(any)
  describeProjecting(any)
  describeHiding(any)
  describeMarking(any)
  describeMarked(any)
  describeAchieving(any)
  describeTemplating(any)
  describeTurning(any)
  describeRebuilding(any)
  describeRetaining(any)
  describeBackingUp(any)
  describeReplaying(any)
  describeAnyPast(any)
  describeLiving(any)
})
