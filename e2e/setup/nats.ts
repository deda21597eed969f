import type { TestProject } from 'vitest/node'
import { startNats } from './nats-server.ts'
import { orMissing } from './parts.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a NATS server with JetStream, for tests that do not stop it. */
    readonly nats: string
    /** The reason why there is no NATS server. */
    readonly missingNats: string | undefined
  }
}

/** Provides one server for all tests that need it: the one that `PANOPTES_TEST_NATS` names, or one of their own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.PANOPTES_TEST_NATS
  const server = named ? { url: named, stop: undefined } : await orMissing(startNats())
  const isMissing = 'missing' in server
  project.provide('missingNats', isMissing ? server.missing : undefined)
  project.provide('nats', isMissing ? 'nats://nowhere.invalid' : server.url)
  return isMissing ? undefined : server.stop
}
