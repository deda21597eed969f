import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ProviderConfig, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { anthropicProvider } from './anthropic.ts'
import { type Endpoint, endpointsOf, knownProvider } from './known.ts'
import { openaiProvider } from './openai.ts'
import type { Provider } from './port.ts'

export interface ProvidersOptions {
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Whoever may be asked, by name. */
export interface Providers {
  readonly endpoints: readonly Endpoint[]
  readonly get: (name: string) => Result<Provider>
  /** Tokens that the models of this provider take at most, where the config says so. */
  readonly windowOf: (name: string) => number | null
  /** Whether its models run on this computer or beside it: nobody sends a bill for them. */
  readonly isLocal: (name: string) => boolean
  /** Every key of theirs, used or not, so that it can be kept out of what is written down. */
  readonly secrets: () => readonly string[]
}

/** Keys in a file may change; so many are remembered, and files are looked at again after a while. */
const MOST_KEYS = 100
const LOOK_MS = 1_000

export function openProviders({ providers, env }: ProvidersOptions): Providers {
  const endpoints = endpointsOf(providers, env)
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  const made = new Map<string, Provider>()
  const used = new Set<string>()
  let looked = Number.NEGATIVE_INFINITY
  return {
    secrets: () => {
      if (performance.now() - looked >= LOOK_MS) {
        for (const endpoint of endpoints) keyOf(endpoint, env, used)
        looked = performance.now()
      }
      // Some servers on this computer take any word for a key: those are words.
      return [...used].filter((key) => !byName.has(key.toLowerCase()))
    },
    endpoints,
    isLocal: (name) => {
      const endpoint = byName.get(name)
      return endpoint !== undefined && isBeside(endpoint.config.base_url ?? knownProvider(name)?.base_url)
    },
    windowOf: (name) => byName.get(name)?.config.context_window ?? null,
    get: (name) => {
      const known = made.get(name)
      if (known) return success(known)
      const endpoint = byName.get(name)
      if (endpoint === undefined) return failure('not_found', missing(name, endpoints))
      const provider = open(endpoint, env, used)
      made.set(name, provider)
      return success(provider)
    },
  }
}

function open(of: Endpoint, env: ProvidersOptions['env'], used: Set<string>): Provider {
  const { name, config } = of
  const endpoint = {
    name,
    baseUrl: config.base_url ?? knownProvider(name)?.base_url,
    apiKey: () => keyOf(of, env, used),
    retries: config.retries,
    timeoutMs: config.timeout === null ? undefined : config.timeout * 1_000,
  }
  return config.kind === 'anthropic' ? anthropicProvider(endpoint) : openaiProvider(endpoint)
}

/** The key as it is now, which is remembered. */
function keyOf(
  { config, keyVariable }: Endpoint,
  env: ProvidersOptions['env'],
  used: Set<string>,
): string | undefined {
  const key = keyIn(config.api_key_file, env) ?? alone(keyVariable === null ? undefined : env[keyVariable])
  if (key && !used.has(key)) {
    used.add(key)
    const [oldest] = used
    if (used.size > MOST_KEYS && oldest !== undefined) used.delete(oldest)
  }
  return key
}

/** A key file holds the key alone. */
function keyIn(file: string | undefined, env: ProvidersOptions['env']): string | undefined {
  if (file === undefined) return undefined
  try {
    const path = file.startsWith('~/') ? join(env.HOME || homedir(), file.slice(2)) : file
    return alone(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function missing(name: string, endpoints: readonly Endpoint[]): string {
  const usual = knownProvider(name)?.keys[0]
  const there = endpoints.map((endpoint) => endpoint.name).join(', ')
  return usual === undefined
    ? `There is no provider ${name}. Name it under providers in config.yaml. There are: ${there}.`
    : `The provider ${name} has no key. Set ${usual} before Panoptes starts, or name it under providers in config.yaml.`
}

/** A key has no white space in it: what follows some is no part of it, and could not be sent. */
const alone = (text: string | undefined): string | undefined => text?.trim().split(/\s/, 1)[0] || undefined

/** Addresses of this computer and of its own network. */
const BESIDE =
  /^(?:localhost|.*\.(?:local|lan|internal|home\.arpa)|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1|f[cd])|[^.]+$)/

const isBeside = (address: string | undefined): boolean =>
  address !== undefined && BESIDE.test(URL.parse(address)?.hostname ?? 'elsewhere.example')
