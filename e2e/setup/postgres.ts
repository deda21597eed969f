import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL database for tests that do not end its server. */
    readonly postgres: string
  }
}

/** Once for all tests that need it: the server that was named, else one of their own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.PANOPTES_TEST_POSTGRES
  if (named) {
    project.provide('postgres', named)
    return undefined
  }
  const server = await startPostgres()
  project.provide('postgres', server.url)
  return () => server.stop()
}
