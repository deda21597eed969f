import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { refusedBy } from './refused.ts'
import { ask, jsonOf, type Place } from './wire.ts'

/** How it is spoken to: by the stream of a session, by a run, or by chat completions. */
export type Way = 'session' | 'runs' | 'completions'

export interface Capabilities {
  readonly way: Way
  /** What it calls itself. */
  readonly model: string | null
  readonly models: readonly string[]
  /** A run tells of itself, or is to be asked. */
  readonly hasRunEvents: boolean
  /** What runs can be stopped. */
  readonly canStop: boolean
}

const MOST_MODELS = 200

/**
 * The stream of a session knows best what was said, but up to 0.20 nothing in it can be stopped or allowed, while runs can; newer ones
 * take both for a session too.
 */
export function wayOf(features: Fields): Way {
  const has = (name: string) => features[name] === true
  const isStoppable = has('reasoning_streaming') || has('session_chat_stop')
  const hasRuns = has('run_submission') && (has('run_events_sse') || has('run_status'))
  const hasSession = has('session_chat_streaming') && features.session_resources !== false
  if (hasSession && (isStoppable || !(hasRuns && has('run_stop')))) return 'session'
  return hasRuns ? 'runs' : 'completions'
}

/** What a server offers; one that knows nothing of it has chat completions. */
async function probe(place: Place, signal: AbortSignal, ms: number): Promise<Capabilities | Failed> {
  const get = (path: string) => ask(place, { method: 'GET', path, signal, ms })
  const [reply, models] = await Promise.all([get('/v1/capabilities'), get('/v1/models')])
  const listed = 'type' in models || models.status !== 200 ? null : await jsonOf(models, ms)
  if (!('type' in models)) models.body.destroy()
  if ('type' in reply) return reply
  const names = listOf(fieldsOf(listed).data).map(({ id }) => textOf(id))
  if (reply.status === 404 || reply.status === 405) {
    reply.body.destroy()
    return listed === null ? notHermes(place) : offered({}, names)
  }
  if (reply.status !== 200) return (await refusedBy(place, reply)).failed
  const told = await jsonOf(reply, ms)
  if (told === null || typeof told.features !== 'object') return notHermes(place)
  return offered(fieldsOf(told.features), [textOf(told.model), ...names])
}

function offered(features: Fields, names: readonly string[]): Capabilities {
  const models = [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS)
  return {
    way: wayOf(features),
    model: models[0] ?? null,
    models,
    hasRunEvents: features.run_events_sse === true,
    canStop: features.run_stop === true,
  }
}

const notHermes = ({ url }: Place): Failed =>
  failedWith(
    'malformed',
    `Whatever answers at ${url} is no API server of Hermes. Mend runtimes.hermes.url in config.yaml.`,
    false,
  )

export interface CapabilitiesCache {
  readonly get: (signal: AbortSignal) => Promise<Capabilities | Failed>
  /** As it was told last, however long ago. */
  readonly last: () => Capabilities | null
  readonly isKnown: () => boolean
  /** It may be another one by now. */
  readonly forget: () => void
}

/** It is asked once for so long; whoever could not be asked is asked again. */
export function cachedCapabilities(
  place: Place,
  { ms, keptMs }: { readonly ms: number; readonly keptMs: number },
): CapabilitiesCache {
  let known: Capabilities | null = null
  let until = 0
  return {
    last: () => known,
    isKnown: () => Date.now() < until,
    forget: () => {
      until = 0
    },
    get: async (signal) => {
      if (known !== null && Date.now() < until) return known
      const found = await probe(place, signal, ms)
      if ('type' in found) return found
      known = found
      until = Date.now() + keptMs
      return found
    },
  }
}
