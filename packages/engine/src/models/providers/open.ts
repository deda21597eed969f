import { homedir } from 'node:os'
import { join } from 'node:path'
import { readRegularSync } from '@panoptes/engine/home'
import { BUILT_IN_PROVIDERS, type BuiltInProvider, type ProviderConfig, type Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { anthropicProvider } from './anthropic.ts'
import { openaiProvider } from './openai.ts'
import type { Provider } from './port.ts'

export interface ProvidersOptions {
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The available providers, by name. */
export interface Providers {
  readonly endpoints: readonly Endpoint[]
  readonly get: (name: string) => Result<Provider>
  /** The context window of this provider's models in tokens, if the config sets it. */
  readonly contextWindow: (name: string) => number | null
  /** True if its models run on this computer or its network, so that they cost nothing. */
  readonly isLocal: (name: string) => boolean
  /** Every known key, used or not, so that keys can be kept out of everything stored. */
  readonly secrets: () => readonly string[]
}

/**
 * Keys in a file may change, so the file is read again after a while and this many former keys are
 * remembered.
 */
const MOST_KEYS = 100
const LOOK_MS = 1_000

type Environment = Readonly<Record<string, string | undefined>>

export function openProviders({ providers, env }: ProvidersOptions): Providers {
  const endpoints = resolveEndpoints(providers, env)
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  const made = new Map<string, Provider>()
  const used = new Set<string>()
  let looked = Number.NEGATIVE_INFINITY
  return {
    secrets: () => {
      if (performance.now() - looked >= LOOK_MS) {
        for (const endpoint of endpoints) readKey(endpoint, env, used)
        looked = performance.now()
      }
      // Some local servers accept any word as a key; such words are not secrets.
      return [...used].filter((key) => !byName.has(key.toLowerCase()))
    },
    endpoints,
    isLocal: (name) => {
      const endpoint = byName.get(name)
      return (
        endpoint !== undefined && isLocalAddress(endpoint.config.base_url ?? builtInProvider(name)?.base_url)
      )
    },
    contextWindow: (name) => byName.get(name)?.config.context_window ?? null,
    get: (name) => {
      const existing = made.get(name)
      if (existing) return success(existing)
      const endpoint = byName.get(name)
      if (endpoint === undefined) return failure('not_found', explainMissing(name, endpoints))
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
    baseUrl: config.base_url ?? builtInProvider(name)?.base_url,
    apiKey: () => readKey(of, env, used),
    retries: config.retries,
    timeoutMs: config.timeout === null ? undefined : config.timeout * 1_000,
  }
  return config.kind === 'anthropic' ? anthropicProvider(endpoint) : openaiProvider(endpoint)
}

/** Reads the current key and remembers it. */
function readKey(
  { config, keyVariable }: Endpoint,
  env: ProvidersOptions['env'],
  used: Set<string>,
): string | undefined {
  const key =
    readKeyFile(config.api_key_file, env) ?? firstWord(keyVariable === null ? undefined : env[keyVariable])
  if (key && !used.has(key)) {
    used.add(key)
    const [oldest] = used
    if (used.size > MOST_KEYS && oldest !== undefined) used.delete(oldest)
  }
  return key
}

/** A key file contains only the key. */
function readKeyFile(file: string | undefined, env: ProvidersOptions['env']): string | undefined {
  if (file === undefined) return undefined
  try {
    const path = file.startsWith('~/') ? join(env.HOME || homedir(), file.slice(2)) : file
    return firstWord(readRegularSync(path))
  } catch {
    return undefined
  }
}

function explainMissing(name: string, endpoints: readonly Endpoint[]): string {
  const usual = builtInProvider(name)?.keys[0]
  const there = endpoints.map((endpoint) => endpoint.name).join(', ')
  return usual === undefined
    ? `Unknown provider: ${name}. Add it under providers in config.yaml. Available: ${there}.`
    : `The provider ${name} has no API key. Set ${usual} before Panoptes starts, or set api_key_env under providers in config.yaml.`
}

/**
 * A key contains no white space; anything after it is not part of the key and could not be sent.
 */
const firstWord = (text: string | undefined): string | undefined =>
  text?.trim().split(/\s/, 1)[0] || undefined

/** Addresses of this computer and its local network. */
const LOCAL_HOST =
  /^(?:localhost|.*\.(?:local|lan|internal|home\.arpa)|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1|f[cd])|[^.]+$)/

const isLocalAddress = (address: string | undefined): boolean =>
  address !== undefined && LOCAL_HOST.test(URL.parse(address)?.hostname ?? 'elsewhere.example')

const builtInProvider = (name: string): BuiltInProvider | undefined =>
  Object.hasOwn(BUILT_IN_PROVIDERS, name) ? BUILT_IN_PROVIDERS[name] : undefined

/** Providers on this computer, which need no key. */
export const LOCAL_PROVIDERS: readonly string[] = Object.entries(BUILT_IN_PROVIDERS).flatMap(
  ([name, { keys }]) => (keys.length === 0 ? [name] : []),
)

export interface Endpoint {
  readonly name: string
  readonly config: ProviderConfig
  /** The environment variable of its key. */
  readonly keyVariable: string | null
  /** Whether the user configured it or it was detected. */
  readonly from: 'config' | 'environment' | 'local'
}

/**
 * Returns every available provider: those of the config, then those with a key, then those on this
 * computer.
 */
export function resolveEndpoints(
  providers: Readonly<Record<string, ProviderConfig>>,
  env: Environment,
): readonly Endpoint[] {
  const named = Object.entries(providers).map(([name, config]): Endpoint => {
    // A key belongs to its provider, so a custom address gets none unless it is configured.
    const builtIn = builtInProvider(name) ?? (config.base_url ? undefined : BUILT_IN_PROVIDERS[config.kind])
    const usual = builtIn?.keys ?? []
    const keyVariable = config.api_key_env ?? (config.api_key_file ? null : findKeyVariable(usual, env))
    return { name, config, keyVariable, from: 'config' }
  })
  const found = Object.entries(BUILT_IN_PROVIDERS).flatMap(([name, { kind, base_url, keys }]): Endpoint[] => {
    if (Object.hasOwn(providers, name)) return []
    const keyVariable = findKeyVariable(keys, env)
    if (keyVariable === null && keys.length > 0) return []
    const config = { kind, base_url: resolveAddress(name, base_url, env), timeout: null, retries: 2 }
    return [{ name, config, keyVariable, from: keys.length > 0 ? 'environment' : 'local' }]
  })
  return [...named, ...found]
}

const findKeyVariable = (keys: readonly string[], env: Environment): string | null =>
  keys.find((key) => (env[key] ?? '') !== '') ?? null

/** Ollama may be configured to listen elsewhere. */
function resolveAddress(name: string, usual: string, env: Environment): string {
  const host = name === 'ollama' ? env.OLLAMA_HOST : undefined
  if (!host) return usual
  const url = URL.parse(host.includes('://') ? host : `http://${host}`)
  if (!url) return usual
  const port = url.port || (host.includes('://') ? '' : '11434')
  const hostname = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname
  return `${url.protocol}//${hostname}${port ? `:${port}` : ''}/v1`
}
