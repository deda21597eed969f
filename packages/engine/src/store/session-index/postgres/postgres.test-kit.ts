import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { sharedPostgres } from '../../../../../../e2e/setup/shared-servers.ts'
import { type IndexLab, value } from '../conformance/lab.ts'
import type { IndexOptions } from '../port.ts'
import { openPostgresIndex } from './open.ts'

/** Runs any single statement. */
export async function ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: sharedPostgres() })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export function tempSchema() {
  const place = { url: sharedPostgres(), schema: `test_${randomUUID().replaceAll('-', '')}` }
  return { place, remove: async () => void (await ask(`DROP SCHEMA ${place.schema} CASCADE`)) }
}

export const postgresLab: IndexLab = {
  open: async (options) => {
    const { place, remove } = tempSchema()
    const again = async (other: IndexOptions = {}) => value(await openPostgresIndex(place, other))
    return { index: await again(options), again, remove }
  },
}
