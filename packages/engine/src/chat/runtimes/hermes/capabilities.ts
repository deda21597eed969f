import { type Fields, toFieldList, toFields, toText } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import { type Place, readJson, sendRequest } from './http-client.ts'
import { readRefusal } from './refusal.ts'

/** How the server is asked: through a session stream, a run, or chat completions. */
export type Transport = 'session' | 'runs' | 'completions'

export interface Capabilities {
  readonly way: Transport
  /** The model name the server reports. */
  readonly model: string | null
  readonly models: readonly string[]
  /** The server streams a run's events; otherwise it is polled. */
  readonly hasRunEvents: boolean
  /** Running work can be stopped. */
  readonly canStop: boolean
  /** The server reports no capabilities, so these are assumptions. */
  readonly isGuess: boolean
}

const MOST_MODELS = 200

/** The first version in whose sessions a turn can be stopped and approved, as in a run. */
const STOPPABLE = [0, 21] as const

/**
 * Prefers the session stream, which knows the conversation best. Old servers can stop and approve
 * only runs, so a run is used there. Without reported features, the right way is found by trying.
 */
export function chooseTransport(features: Fields, version = ''): Transport {
  const has = (name: string) => features[name] === true
  const some = (pattern: RegExp) => Object.keys(features).some((name) => pattern.test(name) && has(name))
  const hasRuns = some(/^(?:run_submission$|runs(?:_|$))/) && features.run_status !== false
  const hasSession = some(/^sessions?_?(?:chat|stream)|^sessions$/) && features.session_resources !== false
  const isOld = isBefore(version, STOPPABLE) && !has('reasoning_streaming')
  if (hasSession && !(isOld && hasRuns && has('run_stop'))) return 'session'
  if (hasRuns) return 'runs'
  return Object.keys(features).some((name) => CHAT_FEATURE.test(name)) || !some(/./)
    ? 'completions'
    : 'session'
}

const CHAT_FEATURE = /session|run|completion|response/

/** A server without a version counts as new. */
function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, its = '', less = ''] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return its !== '' && (Number(its) < major || (Number(its) === major && Number(less) < minor))
}

/** Queries a server's capabilities; a server without that endpoint has chat completions. */
async function probe(place: Place, signal: AbortSignal, ms: number): Promise<Capabilities | RunFailure> {
  const get = (path: string) => sendRequest(place, { method: 'GET', path, signal, ms })
  const getJson = async (path: string) => {
    const reply = await get(path)
    if ('type' in reply) return null
    const json = reply.status === 200 ? await readJson(reply, ms) : null
    reply.body.destroy()
    return json
  }
  const [reply, listed, health] = await Promise.all([
    get('/v1/capabilities'),
    getJson('/v1/models'),
    getJson('/health'),
  ])
  if ('type' in reply) return reply
  const names = toFieldList(toFields(listed).data).map(({ id }) => toText(id))
  const isIdentified = listed !== null || health !== null
  const about = { names, version: toText(health?.version), isGuess: !isIdentified }
  if (reply.status === 404 || reply.status === 405) {
    reply.body.destroy()
    return toCapabilities({}, about)
  }
  if (reply.status !== 200) return (await readRefusal(place, reply)).failed
  const can = await readJson(reply, ms)
  if (can === null) return isIdentified ? toCapabilities({}, about) : createNotHermesFailure(place)
  return toCapabilities(readFeatures(can), { ...about, names: [toText(can.model), ...names], isGuess: false })
}

/** Features may be nested or not, and given as a map or a list. */
function readFeatures(can: Fields): Fields {
  const features = can.features ?? can.capabilities ?? can
  const pairs = Array.isArray(features)
    ? features.map((one) => [toText(one) || toText(toFields(one).name), toFields(one).enabled ?? true])
    : Object.entries(toFields(features)).map(([name, value]) => [name, toFields(value).enabled ?? value])
  return Object.fromEntries(pairs)
}

function toCapabilities(
  features: Fields,
  about: { readonly names: readonly string[]; readonly version: string; readonly isGuess: boolean },
): Capabilities {
  const models = [...new Set(about.names.filter((name) => name !== ''))].slice(0, MOST_MODELS)
  return {
    way: chooseTransport(features, about.version),
    model: models[0] ?? null,
    models,
    hasRunEvents: features.run_events_sse !== false,
    canStop: features.run_stop !== false,
    isGuess: about.isGuess,
  }
}

export const createNotHermesFailure = ({ url }: Place): RunFailure =>
  createFailure(
    'malformed',
    `The server at ${url} is not a Hermes API server. Fix runtimes.hermes.url in config.yaml.`,
    false,
  )

export interface CapabilitiesCache {
  readonly get: (signal: AbortSignal) => Promise<Capabilities | RunFailure>
  /** The last known capabilities, however old. */
  readonly last: () => Capabilities | null
  readonly isFresh: () => boolean
  /** Drops the cache, because the server may have been replaced. */
  readonly forget: () => void
}

/** Queries the capabilities once per interval, and again after a failure. */
export function createCapabilitiesCache(
  place: Place,
  { ms, cacheMs }: { readonly ms: number; readonly cacheMs: number },
): CapabilitiesCache {
  let cached: Capabilities | null = null
  let until = 0
  return {
    last: () => cached,
    isFresh: () => Date.now() < until,
    forget: () => {
      until = 0
    },
    get: async (signal) => {
      if (cached !== null && Date.now() < until) return cached
      const found = await probe(place, signal, ms)
      if ('type' in found) return found
      cached = found
      until = Date.now() + cacheMs
      return found
    },
  }
}
