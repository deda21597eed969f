import { BUILT_IN_PROVIDERS, type BuiltInProvider, type ProviderConfig } from '@panoptes/schema'

type Environment = Readonly<Record<string, string | undefined>>

export const builtInProvider = (name: string): BuiltInProvider | undefined =>
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
    const keyVariable = config.api_key_env ?? (config.api_key_file ? null : usualKey(usual, env))
    return { name, config, keyVariable, from: 'config' }
  })
  const found = Object.entries(BUILT_IN_PROVIDERS).flatMap(([name, { kind, base_url, keys }]): Endpoint[] => {
    if (Object.hasOwn(providers, name)) return []
    const keyVariable = usualKey(keys, env)
    if (keyVariable === null && keys.length > 0) return []
    const config = { kind, base_url: resolveAddress(name, base_url, env), timeout: null, retries: 2 }
    return [{ name, config, keyVariable, from: keys.length > 0 ? 'environment' : 'local' }]
  })
  return [...named, ...found]
}

const usualKey = (keys: readonly string[], env: Environment): string | null =>
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
