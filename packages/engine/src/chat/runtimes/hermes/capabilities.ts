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

/** The first version in whose sessions a turn may be stopped and allowed, as in a run. */
const STOPPABLE = [0, 21] as const

/** The stream of a session knows best what was said. In an old one nothing can be stopped or allowed, while in a run it can. */
export function wayOf(features: Fields, version = ''): Way {
  const has = (name: string) => features[name] === true
  const hasRuns = has('run_submission') && features.run_status !== false
  const hasSession =
    Object.keys(features).some((name) => /^session_chat_?stream/.test(name) && has(name)) &&
    features.session_resources !== false
  const isOld = isBefore(version, STOPPABLE) && !has('reasoning_streaming')
  if (hasSession && !(isOld && hasRuns && has('run_stop'))) return 'session'
  return hasRuns ? 'runs' : 'completions'
}

/** One that does not say its version is taken for new. */
function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, its = '', less = ''] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return its !== '' && (Number(its) < major || (Number(its) === major && Number(less) < minor))
}

/** What a server offers; one that knows nothing of it has chat completions. */
async function probe(place: Place, signal: AbortSignal, ms: number): Promise<Capabilities | Failed> {
  const get = (path: string) => ask(place, { method: 'GET', path, signal, ms })
  const told = async (path: string) => {
    const reply = await get(path)
    if ('type' in reply) return null
    const told = reply.status === 200 ? await jsonOf(reply, ms) : null
    reply.body.destroy()
    return told
  }
  const [reply, listed, health] = await Promise.all([
    get('/v1/capabilities'),
    told('/v1/models'),
    told('/health'),
  ])
  if ('type' in reply) return reply
  const names = listOf(fieldsOf(listed).data).map(({ id }) => textOf(id))
  if (reply.status === 404 || reply.status === 405) {
    reply.body.destroy()
    return listed === null && health === null ? notHermes(place) : offered({}, names, '')
  }
  if (reply.status !== 200) return (await refusedBy(place, reply)).failed
  const can = await jsonOf(reply, ms)
  if (can === null || typeof can.features !== 'object') return notHermes(place)
  return offered(fieldsOf(can.features), [textOf(can.model), ...names], textOf(health?.version))
}

function offered(features: Fields, names: readonly string[], version: string): Capabilities {
  const models = [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS)
  return {
    way: wayOf(features, version),
    model: models[0] ?? null,
    models,
    hasRunEvents: features.run_events_sse !== false,
    canStop: features.run_stop !== false,
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
