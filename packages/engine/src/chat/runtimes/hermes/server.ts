import { setTimeout as wait } from 'node:timers/promises'
import { type Fields, toFields, toText } from '../fields.ts'
import { type Failed, failedWith } from '../run-failure.ts'
import type { CapabilitiesCache } from './capabilities.ts'
import type { Patience } from './frames.ts'
import { ask, type HermesRequest, type Place, type Reply, readJson } from './http-client.ts'
import { type Refused, refusedBy } from './refusal.ts'

export interface HermesLimits extends Patience {
  /** Timeout for probes: capabilities and health. */
  readonly probeMs: number
  readonly cacheMs: number
  /** Timeout until an answer begins. */
  readonly beginMs: number
  /** Timeout of a stop request. */
  readonly stopMs: number
  /** The polling interval of a run, and how long it may be unreachable. */
  readonly pollMs: number
  readonly goneMs: number
  /** The total time to wait while the server is busy. */
  readonly busyMs: number
}

export const LIMITS: HermesLimits = {
  quietMs: 100_000,
  silentMs: 30 * 60_000,
  probeMs: 1_500,
  cacheMs: 60_000,
  beginMs: 60_000,
  stopMs: 2_000,
  pollMs: 500,
  goneMs: 3_000,
  busyMs: 10_000,
}

/** A Hermes API server and what is known about it. */
export interface Server {
  readonly place: Place
  readonly limits: HermesLimits
  readonly capabilities: CapabilitiesCache
  /** Sessions in which a turn was stopped or failed and may still be running. */
  readonly left: Set<string>
  /** Stop requests in progress. */
  readonly stopping: Set<Promise<unknown>>
}

const MOST_TRIES = 5
const never = new AbortController().signal

/** Begins work, and retries while the server is busy if the stated delay is short. */
export async function begin(
  { place, limits }: Server,
  request: Omit<HermesRequest, 'ms' | 'method'>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (ms: number) => void },
): Promise<Reply | Refused> {
  let left = limits.busyMs
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(place, { ...request, method: 'POST', ms: limits.beginMs })
    if ('type' in reply) return { failed: reply, status: 0, code: '', again: null }
    if (reply.status >= 200 && reply.status < 300) return reply
    const refused = await refusedBy(place, reply)
    if (refused.again === null || refused.again > left || tries >= MOST_TRIES) return refused
    left -= refused.again
    onWait(refused.again)
    await wait(refused.again, undefined, { signal }).catch(() => {})
    if (signal.aborted) return refused
  }
}

/** Sends a short request whose answer is JSON. */
export async function call(
  { place, limits }: Server,
  method: 'GET' | 'POST',
  path: string,
  { body, ms = limits.probeMs, signal = never }: { body?: Fields; ms?: number; signal?: AbortSignal } = {},
): Promise<{ readonly ok: true; readonly value: Fields } | ({ readonly ok: false } & Refused)> {
  const reply = await ask(place, { method, path, body, signal, ms })
  if ('type' in reply) return { ok: false, failed: reply, status: 0, code: '', again: null }
  if (reply.status < 200 || reply.status >= 300) return { ok: false, ...(await refusedBy(place, reply)) }
  const value = await readJson(reply, ms)
  return value === null
    ? { ok: false, failed: unreadable(), status: reply.status, code: '', again: null }
    : { ok: true, value }
}

const unreadable = (): Failed => failedWith('malformed', 'Hermes sent an invalid answer.')

/** Opens a session; Hermes chooses its id. */
export async function newSession(server: Server, signal: AbortSignal): Promise<string | Refused> {
  const made = await call(server, 'POST', '/api/sessions', { body: {}, ms: server.limits.beginMs, signal })
  if (!made.ok) return made
  const { session, id, session_id } = made.value
  const name = toText(toFields(session).id) || toText(id) || toText(session_id)
  return name === '' ? { failed: unreadable(), status: 200, code: '', again: null } : name
}

export async function stopRun(server: Server, run: string): Promise<void> {
  await call(server, 'POST', `${runPath(run)}/stop`, { body: {}, ms: server.limits.stopMs })
}

export const runPath = (run: string): string => `/v1/runs/${encodeURIComponent(run)}`
