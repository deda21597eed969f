import type { RuntimeHealth } from '@panoptes/schema'
import type { Failed } from '../failed.ts'
import { withoutOwnMemory } from '../own-memory.ts'
import type { RuntimeAdapter } from '../port.ts'
import { answerOf } from './answer.ts'
import { cachedCapabilities } from './capabilities.ts'
import { isHere } from './key.ts'
import { type HermesLimits, LIMITS, type Server } from './server.ts'
import type { Place } from './wire.ts'

export type Spoken = Pick<RuntimeAdapter, 'health' | 'model' | 'run' | 'close'>

/** Hermes by its API server. */
export function hermesApi(place: Place, limits: Partial<HermesLimits> = {}): Spoken {
  const all = { ...LIMITS, ...limits }
  const server: Server = {
    place,
    limits: all,
    capabilities: cachedCapabilities(place, { ms: all.probeMs, keptMs: all.keptMs }),
    left: new Set(),
    stopping: new Set(),
  }
  const closed = new AbortController()
  return {
    model: () => server.capabilities.last()?.model ?? null,
    health: async (signal) => {
      // Whoever asks wants to know how it is now.
      server.capabilities.forget()
      const found = await server.capabilities.get(signal ?? closed.signal)
      const models = server.capabilities.last()?.models ?? []
      return 'type' in found
        ? { ...stateOf(found), models: [...models], transport: 'api' }
        : {
            state: 'ready',
            detail: found.isGuess ? UNTOLD : '',
            models: [...found.models],
            transport: 'api',
          }
    },
    // Another computer's Hermes remembers other things.
    run: (request, context) =>
      answerOf(server, withoutOwnMemory(request, isHere(place.url) ? 'hermes' : null), context),
    close: async () => {
      closed.abort()
      await Promise.allSettled(server.stopping)
    },
  }
}

/** Whatever answers may be no Hermes: whoever has a choice takes another one. */
export const UNTOLD = 'It does not say what it can do, and is asked by chat completions.'

const STATES: Readonly<Record<string, RuntimeHealth['state']>> = {
  unauthorized: 'unauthorized',
  rate_limited: 'busy',
  not_configured: 'not_configured',
  malformed: 'not_configured',
}

const stateOf = ({ code, message }: Failed) => ({
  state: STATES[code] ?? ('unreachable' as const),
  detail: message,
})
