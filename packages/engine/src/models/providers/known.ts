import type { ProviderConfig } from '@panoptes/schema'

type Environment = Readonly<Record<string, string | undefined>>

interface Known {
  readonly kind: ProviderConfig['kind']
  readonly base_url: string
  /** Where its key usually is; none where no key is needed. */
  readonly keys: readonly string[]
}

/** Providers that need no more in the config than their name, and often not that. */
export const KNOWN_PROVIDERS: Readonly<Record<string, Known>> = {
  openai: { kind: 'openai', base_url: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'] },
  anthropic: { kind: 'anthropic', base_url: 'https://api.anthropic.com', keys: ['ANTHROPIC_API_KEY'] },
  openrouter: { kind: 'openai', base_url: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  nous: { kind: 'openai', base_url: 'https://inference-api.nousresearch.com/v1', keys: ['NOUS_API_KEY'] },
  google: {
    kind: 'openai',
    base_url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  mistral: { kind: 'openai', base_url: 'https://api.mistral.ai/v1', keys: ['MISTRAL_API_KEY'] },
  groq: { kind: 'openai', base_url: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  deepseek: { kind: 'openai', base_url: 'https://api.deepseek.com/v1', keys: ['DEEPSEEK_API_KEY'] },
  xai: { kind: 'openai', base_url: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  ollama: { kind: 'openai', base_url: 'http://127.0.0.1:11434/v1', keys: [] },
  'lm-studio': { kind: 'openai', base_url: 'http://127.0.0.1:1234/v1', keys: [] },
  vllm: { kind: 'openai', base_url: 'http://127.0.0.1:8000/v1', keys: [] },
}

export const knownProvider = (name: string): Known | undefined =>
  Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined

/** Those that answer on this computer, and need no key. */
export const LOCAL_PROVIDERS: readonly string[] = ['ollama', 'lm-studio', 'vllm']

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
