import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint, Providers } from '@panoptes/engine/models'
import { BUILT_IN_PROVIDERS, type PresetsReply } from '@panoptes/schema'
import type { ProviderProblem } from '../presets.ts'

type Environment = Readonly<Record<string, string | undefined>>
type ListedProvider = PresetsReply['providers'][number]

/** Lists the configured providers and where each key comes from, but never the key. */
export const listProviders = ({ endpoints }: Providers, env: Environment): ListedProvider[] =>
  endpoints.map((endpoint) => {
    const { name, config, keyVariable, from } = endpoint
    return {
      name,
      kind: config.kind,
      base_url: stripCredentials(config.base_url ?? BUILT_IN_PROVIDERS[name]?.base_url),
      from,
      key: keyVariable ?? config.api_key_file ?? null,
      has_key: hasKey(endpoint, env),
    }
  })

function hasKey({ config, keyVariable }: Endpoint, env: Environment): boolean {
  if (keyVariable !== null && env[keyVariable]) return true
  const file = config.api_key_file
  if (file === undefined) return false
  try {
    accessSync(file.startsWith('~/') ? join(env.HOME || homedir(), file.slice(2)) : file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** A URL may contain a user name and a password. */
function stripCredentials(address: string | undefined): string | null {
  const url = address === undefined ? null : URL.parse(address)
  return url && `${url.origin}${url.pathname}`.replace(/\/$/, '')
}

/**
 * Explains why a provider cannot be asked: it is not configured, or it has no key and none of its
 * models works without one.
 */
export function createProviderCheck(providers: Providers, env: Environment): ProviderProblem {
  return (name) => {
    const found = providers.get(name)
    if (!found.ok) return found.message
    const endpoint = providers.endpoints.find((one) => one.name === name)
    if (endpoint?.config.kind !== 'anthropic' || endpoint.config.base_url !== undefined) return
    const where = endpoint.keyVariable ?? endpoint.config.api_key_file ?? 'ANTHROPIC_API_KEY'
    return hasKey(endpoint, env) ? undefined : `The provider ${name} has no API key: ${where} is not set.`
  }
}

/** True if no endpoint has this name, with a key or without. */
export const isUnknownProvider = ({ endpoints }: Providers, name: string): boolean =>
  !Object.hasOwn(BUILT_IN_PROVIDERS, name) && !endpoints.some((endpoint) => endpoint.name === name)
