import { KNOWN_PROVIDERS, type KnownProvider, type ProviderConfig } from '@panoptes/schema'

type Environment = Readonly<Record<string, string | undefined>>

export const knownProvider = (name: string): KnownProvider | undefined =>
  Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined

/** Those that answer on this computer, and need no key. */
export const LOCAL_PROVIDERS: readonly string[] = Object.entries(KNOWN_PROVIDERS).flatMap(
  ([name, { keys }]) => (keys.length === 0 ? [name] : []),
)

export interface Endpoint {
  readonly name: string
  readonly config: ProviderConfig
  /** The variable its key is in. */
  readonly keyVariable: string | null
  /** Whether a person named it, or it was found. */
  readonly from: 'config' | 'environment' | 'local'
}

/** Every provider that may be asked: those of the config first, then those whose key is there, then those of this computer. */
export function endpointsOf(
  providers: Readonly<Record<string, ProviderConfig>>,
  env: Environment,
): readonly Endpoint[] {
  const named = Object.entries(providers).map(([name, config]): Endpoint => {
    // A key is for whoever it was given by: an address of one's own gets none unasked.
    const known = knownProvider(name) ?? (config.base_url ? undefined : KNOWN_PROVIDERS[config.kind])
    const usual = known?.keys ?? []
    const keyVariable = config.api_key_env ?? (config.api_key_file ? null : usualKey(usual, env))
    return { name, config, keyVariable, from: 'config' }
  })
  const found = Object.entries(KNOWN_PROVIDERS).flatMap(([name, { kind, base_url, keys }]): Endpoint[] => {
    if (Object.hasOwn(providers, name)) return []
    const keyVariable = usualKey(keys, env)
    if (keyVariable === null && keys.length > 0) return []
    const config = { kind, base_url: addressOf(name, base_url, env), timeout: null, retries: 2 }
    return [{ name, config, keyVariable, from: keys.length > 0 ? 'environment' : 'local' }]
  })
  return [...named, ...found]
}

const usualKey = (keys: readonly string[], env: Environment): string | null =>
  keys.find((key) => (env[key] ?? '') !== '') ?? null

/** Ollama may be told to listen elsewhere. */
function addressOf(name: string, usual: string, env: Environment): string {
  const host = name === 'ollama' ? env.OLLAMA_HOST : undefined
  if (!host) return usual
  const url = URL.parse(host.includes('://') ? host : `http://${host}`)
  if (!url) return usual
  const port = url.port || (host.includes('://') ? '' : '11434')
  const hostname = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname
  return `${url.protocol}//${hostname}${port ? `:${port}` : ''}/v1`
}
