import type { TestProject } from 'vitest/node'
import { startNats } from './nats-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a NATS server with JetStream for tests that do not end it. */
    readonly nats: string
  }
}

/** Once for all tests that need it: the server that was named, else one of their own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.PANOPTES_TEST_NATS
  if (named) {
    project.provide('nats', named)
    return undefined
  }
  const server = await startNats()
  project.provide('nats', server.url)
  return () => server.stop()
}
