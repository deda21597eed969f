import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { sharedPostgres } from '../../../../../../e2e/setup/shared-servers.ts'

export interface OwnDatabase {
  readonly url: string
  /** Queries the database like somebody who only has its password. */
  readonly ask: (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
  readonly drop: () => Promise<void>
}

/** Gives a test its own database on the shared server. */
export async function ownDatabase(): Promise<OwnDatabase> {
  const name = `team_${randomUUID().replaceAll('-', '')}`
  const shared = sharedPostgres()
  const server = new Client({ connectionString: shared })
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(shared), { pathname: `/${name}` }).href
  const client = new Client({ connectionString: url })
  await client.connect()
  client.on('error', () => undefined)
  return {
    url,
    ask: async (sql, values = []) => (await client.query(sql, values as unknown[])).rows,
    drop: async () => {
      await client.end()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    },
  }
}
