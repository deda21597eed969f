import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** All projects of a run share this server. */
let server: Promise<PostgresServer> | undefined

/** With `PANOPTES_TEST_ENGINE=postgres` every home of a whole-system test has a database of its own on this server. */
export default async function setup(_project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.PANOPTES_TEST_ENGINE !== 'postgres' || process.env.PANOPTES_TEST_POSTGRES) return undefined
  server ??= startPostgres()
  process.env.PANOPTES_TEST_POSTGRES = (await server).url
  return async () => {
    const ended = await server
    server = undefined
    await ended?.stop()
  }
}
