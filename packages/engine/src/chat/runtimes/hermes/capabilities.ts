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
  /** It says nothing at all of itself: it may be anything. */
  readonly isGuess: boolean
}

const MOST_MODELS = 200

/** The first version in whose sessions a turn may be stopped and allowed, as in a run. */
const STOPPABLE = [0, 21] as const

/**
 * The stream of a session knows best what was said. In an old one nothing can be stopped or allowed, while in a run it can. Where a word for
 * neither is known, what there is turns out when it is asked.
 */
export function wayOf(features: Fields, version = ''): Way {
  const has = (name: string) => features[name] === true
  const some = (pattern: RegExp) => Object.keys(features).some((name) => pattern.test(name) && has(name))
  const hasRuns = some(/^(?:run_submission$|runs(?:_|$))/) && features.run_status !== false
  const hasSession = some(/^sessions?_?(?:chat|stream)|^sessions$/) && features.session_resources !== false
  const isOld = isBefore(version, STOPPABLE) && !has('reasoning_streaming')
  if (hasSession && !(isOld && hasRuns && has('run_stop'))) return 'session'
  if (hasRuns) return 'runs'
  return Object.keys(features).some((name) => KNOWN.test(name)) || !some(/./) ? 'completions' : 'session'
}

const KNOWN = /session|run|completion|response/

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
  const isKnown = listed !== null || health !== null
  const about = { names, version: textOf(health?.version), isGuess: !isKnown }
  if (reply.status === 404 || reply.status === 405) {
    reply.body.destroy()
    return offered({}, about)
  }
  if (reply.status !== 200) return (await refusedBy(place, reply)).failed
  const can = await jsonOf(reply, ms)
  if (can === null) return isKnown ? offered({}, about) : notHermes(place)
  return offered(featuresIn(can), { ...about, names: [textOf(can.model), ...names], isGuess: false })
}

/** In a place of their own or not, each with a word for it, or as a list of what there is. */
function featuresIn(can: Fields): Fields {
  const told = can.features ?? can.capabilities ?? can
  const pairs = Array.isArray(told)
    ? told.map((one) => [textOf(one) || textOf(fieldsOf(one).name), fieldsOf(one).enabled ?? true])
    : Object.entries(fieldsOf(told)).map(([name, value]) => [name, fieldsOf(value).enabled ?? value])
  return Object.fromEntries(pairs)
}

function offered(
  features: Fields,
  about: { readonly names: readonly string[]; readonly version: string; readonly isGuess: boolean },
): Capabilities {
  const models = [...new Set(about.names.filter((name) => name !== ''))].slice(0, MOST_MODELS)
  return {
    way: wayOf(features, about.version),
    model: models[0] ?? null,
    models,
    hasRunEvents: features.run_events_sse !== false,
    canStop: features.run_stop !== false,
    isGuess: about.isGuess,
  }
}

export const notHermes = ({ url }: Place): Failed =>
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
