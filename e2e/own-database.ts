import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

export interface OwnDatabase {
  readonly url: string
  readonly drop: () => Promise<void>
}

/** A database for one home if the tests run on PostgreSQL; undefined if each home has a file. */
export async function databaseOfHome(): Promise<OwnDatabase | undefined> {
  const server = process.env.PANOPTES_TEST_POSTGRES
  if (process.env.PANOPTES_TEST_ENGINE !== 'postgres' || !server) return undefined
  const name = `home_${randomUUID().replaceAll('-', '')}`
  await asked(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  return {
    url: Object.assign(new URL(server), { pathname: `/${name}` }).href,
    drop: () => asked(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function asked(server: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
