import { type Config, type RuntimeHealth, type RuntimeId, toRuntimeId } from '@panoptes/schema'
import { checkHealth } from './run/health.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'

/**
 * Returns the configured default runtime, otherwise the first configured one, ready or not. Returns
 * null if none is configured.
 */
export function getConfiguredRuntime({
  default: named,
  jarvis,
  hermes,
  acp,
}: Config['runtimes']): RuntimeId | null {
  if (named !== null) return toRuntimeId(named)
  if (jarvis !== null) return 'jarvis'
  if (hermes !== null) return 'hermes'
  const [first] = Object.keys(acp)
  return first === undefined ? null : `acp:${first}`
}

export interface RuntimeDetector {
  readonly get: () => Promise<RuntimeId | null>
  /** Takes the latest health of all runtimes and returns the choice. */
  readonly update: (healths: readonly Pick<RuntimeHealth, 'id' | 'state'>[]) => RuntimeId | null
}

/** How long to wait for a preferred runtime once a less preferred one is ready. */
const GRACE_MS = 500
const CACHE_MS = 300_000

/**
 * Chooses a runtime if none is configured: the first detected one that is ready, otherwise the
 * first untested one. The choice is cached, so that at most one message waits for it.
 */
export function createRuntimeDetector(
  adapters: readonly RuntimeAdapter[],
  now: () => number = Date.now,
): RuntimeDetector {
  let cached: { readonly id: RuntimeId; readonly at: number } | null = null
  const setCached = (id: RuntimeId | null) => {
    cached = id === null ? null : { id, at: now() }
    return id
  }
  return {
    get: async () =>
      cached !== null && now() - cached.at < CACHE_MS ? cached.id : setCached(await findFirstReady(adapters)),
    update: (healths) => {
      const findByState = (wanted: RuntimeHealth['state']) =>
        healths.find(({ state }) => state === wanted)?.id
      return setCached(findByState('ready') ?? findByState('untried') ?? null)
    },
  }
}

async function findFirstReady(adapters: readonly RuntimeAdapter[]): Promise<RuntimeId | null> {
  const ready = new Set<RuntimeId>()
  const untried = new Set<RuntimeId>()
  const checks = adapters.map(async (adapter) => {
    const { state } = await checkHealth(adapter)
    if (state === 'untried') untried.add(adapter.id)
    else if (state === 'ready') ready.add(adapter.id)
    else throw new Error('not ready')
  })
  const first = await Promise.any(checks).then(
    () => true,
    () => false,
  )
  if (!first) return null
  const gracePeriod = Promise.withResolvers<void>()
  const clock = setTimeout(gracePeriod.resolve, GRACE_MS)
  await Promise.race([Promise.allSettled(checks), gracePeriod.promise])
  clearTimeout(clock)
  return (adapters.find(({ id }) => ready.has(id)) ?? adapters.find(({ id }) => untried.has(id)))?.id ?? null
}
