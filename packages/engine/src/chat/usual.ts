import { type Config, type RuntimeHealth, type RuntimeId, runtimeNamed } from '@panoptes/schema'
import { healthOf } from './run/health.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'

/** Who answers where nobody is named: the default, else the first that is configured, ready or not; null where nobody is. */
export function configuredRuntime({
  default: named,
  jarvis,
  hermes,
  acp,
}: Config['runtimes']): RuntimeId | null {
  if (named !== null) return runtimeNamed(named)
  if (jarvis !== null) return 'jarvis'
  if (hermes !== null) return 'hermes'
  const [first] = Object.keys(acp)
  return first === undefined ? null : `acp:${first}`
}

export interface FoundRuntime {
  readonly get: () => Promise<RuntimeId | null>
  /** Takes what is known of all of them, and says who it is. */
  readonly seen: (healths: readonly Pick<RuntimeHealth, 'id' | 'state'>[]) => RuntimeId | null
}

/** Those that were asked and are ready are waited for so long, for one that comes before them. */
const PATIENCE_MS = 500
const KNOWN_MS = 300_000

/** Where nobody is configured: the first that is ready of those that are found. Who it is holds for a while, so that a message waits once at most. */
export function foundRuntime(
  adapters: readonly RuntimeAdapter[],
  now: () => number = Date.now,
): FoundRuntime {
  let known: { readonly id: RuntimeId; readonly at: number } | null = null
  const keep = (id: RuntimeId | null) => {
    known = id === null ? null : { id, at: now() }
    return id
  }
  return {
    get: async () =>
      known !== null && now() - known.at < KNOWN_MS ? known.id : keep(await firstReady(adapters)),
    seen: (healths) => keep(healths.find(({ state }) => state === 'ready')?.id ?? null),
  }
}

async function firstReady(adapters: readonly RuntimeAdapter[]): Promise<RuntimeId | null> {
  const ready = new Set<RuntimeId>()
  const asked = adapters.map(async (adapter) => {
    if ((await healthOf(adapter)).state !== 'ready') throw new Error('not ready')
    ready.add(adapter.id)
  })
  const first = await Promise.any(asked).then(
    () => true,
    () => false,
  )
  if (!first) return null
  const patience = Promise.withResolvers<void>()
  const clock = setTimeout(patience.resolve, PATIENCE_MS)
  await Promise.race([Promise.allSettled(asked), patience.promise])
  clearTimeout(clock)
  return adapters.find(({ id }) => ready.has(id))?.id ?? null
}
