import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { value } from '../conformance/lab.ts'
import { openPostgresStore, restorePostgresStore } from './postgres-store.ts'

const url = usePostgres()
const client = () => new Client({ connectionString: url })
let asks: Client
let folder: string
let schemas: string[]

beforeEach(async () => {
  schemas = []
  folder = mkdtempSync(join(tmpdir(), 'panoptes-beside-'))
  asks = client()
  await asks.connect()
})
afterEach(async () => {
  for (const schema of schemas) await asks.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await asks.end()
  rmSync(folder, { recursive: true, force: true })
})

const newSchema = (): string => {
  const schema = `beside_${randomUUID().replaceAll('-', '')}`
  schemas.push(schema)
  return schema
}

const open = async (schema: string) => value(await openPostgresStore({ url, schema }))

const analyzed = async (schema: string): Promise<number> => {
  const { rows } = await asks.query(
    'SELECT count(*)::int AS tables FROM pg_stat_user_tables WHERE schemaname = $1 AND analyze_count > 0',
    [schema],
  )
  return rows[0].tables
}

describe('store beside others in one database', () => {
  it('updates statistics of its own tables only when a backup is restored', async () => {
    const [neighbour, backedUp, restored] = [newSchema(), newSchema(), newSchema()]
    await (await open(neighbour)).close()
    const store = await open(backedUp)
    const file = join(folder, 'ledger.dump')
    value(await store.backup(file))
    await store.close()
    await value(await restorePostgresStore({ url, schema: restored }, file)).close()
    await expect.poll(() => analyzed(restored)).toBeGreaterThan(0)
    expect(await analyzed(neighbour)).toBe(0)
  })

  it('leaves no connection behind, however soon it is closed after opening', async () => {
    const schema = newSchema()
    for (let time = 0; time < 10; time += 1) await (await open(schema)).close()
    const listening = async () => {
      const { rows } = await asks.query('SELECT pid FROM pg_stat_activity WHERE query = $1', [
        `LISTEN ${schema}`,
      ])
      return rows.length
    }
    await expect.poll(listening).toBe(0)
  })
})
