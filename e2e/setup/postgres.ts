import type { TestProject } from 'vitest/node'
import { orMissing } from './parts.ts'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL database, for tests that do not stop its server. */
    readonly postgres: string
    /** The reason why there is no PostgreSQL. */
    readonly missingPostgres: string | undefined
  }
}

/** Provides one server for all tests that need it: the one that `PANOPTES_TEST_POSTGRES` names, or one of their own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.PANOPTES_TEST_POSTGRES
  const server = named ? { url: named, stop: undefined } : await orMissing(startPostgres())
  const isMissing = 'missing' in server
  project.provide('missingPostgres', isMissing ? server.missing : undefined)
  project.provide('postgres', isMissing ? 'postgres://nowhere.invalid/postgres' : server.url)
  return isMissing ? undefined : server.stop
}
