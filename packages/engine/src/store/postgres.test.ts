import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { describeStore } from './conformance/index.ts'
import { type StoreLab, value } from './conformance/lab.ts'
import type { EventStore } from './port.ts'
import { Emptied } from './postgres/empty-store.test-kit.ts'
import { openPostgresStore, restorePostgresStore } from './postgres/postgres-store.ts'

const url = usePostgres()
const folder = join(tmpdir(), `panoptes-postgres-copies-${randomUUID()}`)
const schemas = new Set<string>()
const client = new Client({ connectionString: url })
const emptied = new Emptied(client)

beforeAll(async () => {
  mkdirSync(folder)
  await client.connect()
})
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

/** Partitions are small, so that retention has some to drop. */
const open = async (schema: string): Promise<EventStore> =>
  value(await openPostgresStore({ url, schema, partition: 2_500 }))

const lab: StoreLab<string> = {
  open: async () => {
    const used = emptied.take()
    const place = used ?? newSchema()
    const store = await open(place)
    if (used === undefined) await emptied.see(place)
    return { place, store }
  },
  reopen: open,
  destroy: (place) => emptied.give(place),
  backupFile: () => join(folder, `${randomUUID()}.dump`),
  restore: async (file) => value(await restorePostgresStore({ url, schema: newSchema() }, file)),
  spoil: async (place) => {
    await client.query(
      `UPDATE ${place}.projection_rows SET doc = regexp_replace(doc, '"events":\\d+', '"events":7') WHERE name = 'counters'`,
    )
    await client.query(`DELETE FROM ${place}.projection_rows WHERE name = 'agents' AND key IN
      (SELECT key FROM ${place}.projection_rows WHERE name = 'agents' LIMIT 3)`)
  },
}

describeStore('PostgreSQL store', lab)
