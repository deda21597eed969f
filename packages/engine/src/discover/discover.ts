import type { FoundSource } from '@panoptes/schema'
import { findAgents } from './agents.ts'
import { findLocalModels, type LocalServer, localServers } from './local-models.ts'
import { agentPlaces, type Environment } from './places.ts'
import { findKeyedProviders, withNamed } from './providers.ts'

export interface DiscoverOptions {
  readonly env?: Environment | undefined
  /** The model servers to ask instead of the usual ones. */
  readonly servers?: readonly LocalServer[] | undefined
  /** Those that config.yaml names. */
  readonly providers?: Readonly<Record<string, unknown>> | undefined
}

/** What is on this computer: agents first, then providers of models; what was looked for and not found is `absent`. */
export async function discover(options: DiscoverOptions = {}): Promise<readonly FoundSource[]> {
  const env = options.env ?? process.env
  const [agents, local] = await Promise.all([
    findAgents(agentPlaces(env)),
    findLocalModels(options.servers ?? localServers(env)),
  ])
  return [
    ...agents,
    ...withNamed([...findKeyedProviders(env), ...local], Object.keys(options.providers ?? {})),
  ]
}
