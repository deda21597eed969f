import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { describeLedger } from './conformance/index.ts'
import { type LedgerLab, value } from './conformance/lab.ts'
import type { Ledger } from './port.ts'
import { Emptied } from './postgres/emptied.test-kit.ts'
import { openPostgresLedger, restorePostgresLedger } from './postgres/ledger.ts'

const url = inject('postgres')
const folder = mkdtempSync(join(tmpdir(), 'panoptes-postgres-copies-'))
const schemas = new Set<string>()
const client = new Client({ connectionString: url })
const emptied = new Emptied(client)

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

/** Small partitions, so that retention has some to drop. */
const open = async (schema: string): Promise<Ledger> =>
  value(await openPostgresLedger({ url, schema, partition: 2_500 }))

const lab: LedgerLab<string> = {
  open: async () => {
    const used = emptied.take()
    const place = used ?? newSchema()
    const ledger = await open(place)
    if (used === undefined) await emptied.see(place)
    return { place, ledger }
  },
  reopen: open,
  destroy: (place) => emptied.give(place),
  backupFile: () => join(folder, `${randomUUID()}.dump`),
  restore: async (file) => value(await restorePostgresLedger({ url, schema: newSchema() }, file)),
  spoil: async (place) => {
    await client.query(
      `UPDATE ${place}.projection_rows SET doc = regexp_replace(doc, '"events":\\d+', '"events":7') WHERE name = 'counters'`,
    )
    await client.query(`DELETE FROM ${place}.projection_rows WHERE name = 'agents' AND key IN
      (SELECT key FROM ${place}.projection_rows WHERE name = 'agents' LIMIT 3)`)
  },
}

describeLedger('the PostgreSQL ledger', lab)
