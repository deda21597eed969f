import { BUILT_IN_PROVIDERS, type FoundSource } from '@panoptes/schema'
import { agentPlaces, type Environment, findAgents } from './agents.ts'

export interface DiscoverOptions {
  readonly env?: Environment | undefined
  /** The model servers to query instead of the default ones. */
  readonly servers?: readonly LocalServer[] | undefined
  /** The providers named in config.yaml. */
  readonly providers?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Finds what is on this computer: agents first, then model providers. Whatever was not found is listed as
 * `absent`.
 */
export async function discover(options: DiscoverOptions = {}): Promise<readonly FoundSource[]> {
  const env = options.env ?? process.env
  const [agents, local] = await Promise.all([
    findAgents(agentPlaces(env)),
    findLocalModels(options.servers ?? localServers(env)),
  ])
  return [
    ...agents,
    ...addNamed([...findKeyedProviders(env), ...local], Object.keys(options.providers ?? {})),
  ]
}

/** Finds providers whose key is in the environment. It returns the name of the variable, never its value. */
function findKeyedProviders(env: Environment): readonly FoundSource[] {
  return Object.entries(BUILT_IN_PROVIDERS).flatMap(([id, { title, keys }]): FoundSource[] => {
    const [usual] = keys
    if (usual === undefined) return []
    const set = keys.find((variable) => (env[variable] ?? '') !== '')
    const base = { id, name: title, kind: 'provider', path: null } as const
    if (set) return [{ ...base, state: 'found', detail: `Key in ${set}`, next: null }]
    const next = `To use it, set ${usual} before panoptes up.`
    return [{ ...base, state: 'absent', detail: 'No key in the environment', next }]
  })
}

/** Adds the providers that a person configured, even without a key or a running server. */
function addNamed(found: readonly FoundSource[], names: readonly string[]): readonly FoundSource[] {
  const foundIds = new Set(found.filter(({ state }) => state === 'found').map(({ id }) => id))
  const named = names
    .filter((name) => !foundIds.has(name))
    .map(
      (id): FoundSource => ({
        id,
        name: BUILT_IN_PROVIDERS[id]?.title ?? id,
        kind: 'provider',
        state: 'found',
        path: null,
        detail: 'Named in config.yaml',
        next: null,
      }),
    )
  return [...found.filter(({ id }) => foundIds.has(id) || !names.includes(id)), ...named]
}

interface LocalServer {
  readonly id: string
  readonly name: string
  readonly address: string
  /** The path that lists the models, and the field that holds them. */
  readonly list: string
  readonly field: string
}

const TIMEOUT_MS = 400
const LONGEST = 1024 * 1024

/** Ollama lists its models in its own format. */
const OLLAMA = { list: '/api/tags', field: 'models' }

export function localServers(env: Environment): readonly LocalServer[] {
  return Object.entries(BUILT_IN_PROVIDERS).flatMap(([id, { title, base_url, keys }]): LocalServer[] => {
    if (keys.length > 0) return []
    const usual = new URL(base_url).origin
    return [
      id === 'ollama'
        ? { id, name: title, address: loopback(env.OLLAMA_HOST) ?? usual, ...OLLAMA }
        : { id, name: title, address: usual, list: '/v1/models', field: 'data' },
    ]
  })
}

/** Queries the default loopback ports. Nothing leaves this computer. */
function findLocalModels(servers: readonly LocalServer[]): Promise<readonly FoundSource[]> {
  return Promise.all(servers.map(ask))
}

async function ask({ id, name, address, list, field }: LocalServer): Promise<FoundSource> {
  const base = { id, name, kind: 'provider', path: null } as const
  const models = await countModels(`${address}${list}`, field)
  if (models === undefined) {
    const next = `To use it, start ${name} on this computer.`
    return { ...base, state: 'absent', detail: `Nothing answers at ${address}`, next }
  }
  const detail = `${models === 1 ? '1 model' : `${models} models`} at ${address}`
  return { ...base, state: 'found', detail, next: models === 0 ? `Load a model in ${name}.` : null }
}

async function countModels(url: string, field: string): Promise<number | undefined> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    if (!reply.ok || Number(reply.headers.get('content-length') ?? 0) > LONGEST) {
      await reply.body?.cancel()
      return undefined
    }
    const body: unknown = await reply.json()
    const models = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : null
    return Array.isArray(models) ? models.length : undefined
  } catch {
    return undefined
  }
}

/** Returns `OLLAMA_HOST` as an address on this computer, or undefined when it points elsewhere. */
function loopback(host: string | undefined): string | undefined {
  if (!host) return undefined
  const url = URL.parse(host.includes('://') ? host : `http://${host}`)
  if (!url || !['127.0.0.1', 'localhost', '0.0.0.0', '[::1]'].includes(url.hostname)) return undefined
  const port = url.port || (host.includes('://') ? '80' : '11434')
  return `http://${url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname}:${port}`
}
