import { type FoundSource, KNOWN_PROVIDERS } from '@panoptes/schema'
import type { Environment } from './places.ts'

export interface LocalServer {
  readonly id: string
  readonly name: string
  readonly address: string
  /** The path that lists the models, and the field they are in. */
  readonly list: string
  readonly field: string
}

const PATIENCE_MS = 400
const LONGEST = 1024 * 1024

/** Ollama lists its models in a way of its own. */
const OLLAMA = { list: '/api/tags', field: 'models' }

export function localServers(env: Environment): readonly LocalServer[] {
  return Object.entries(KNOWN_PROVIDERS).flatMap(([id, { title, base_url, keys }]): LocalServer[] => {
    if (keys.length > 0) return []
    const usual = new URL(base_url).origin
    return [
      id === 'ollama'
        ? { id, name: title, address: loopback(env.OLLAMA_HOST) ?? usual, ...OLLAMA }
        : { id, name: title, address: usual, list: '/v1/models', field: 'data' },
    ]
  })
}

/** Asks the usual loopback ports; nothing leaves this computer. */
export function findLocalModels(servers: readonly LocalServer[]): Promise<readonly FoundSource[]> {
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
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' })
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

/** `OLLAMA_HOST` as an address on this computer; nothing when it points elsewhere. */
function loopback(host: string | undefined): string | undefined {
  if (!host) return undefined
  const url = URL.parse(host.includes('://') ? host : `http://${host}`)
  if (!url || !['127.0.0.1', 'localhost', '0.0.0.0', '[::1]'].includes(url.hostname)) return undefined
  const port = url.port || (host.includes('://') ? '80' : '11434')
  return `http://${url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname}:${port}`
}
