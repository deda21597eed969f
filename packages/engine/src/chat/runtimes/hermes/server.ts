import { setTimeout as wait } from 'node:timers/promises'
import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { CapabilitiesCache } from './capabilities.ts'
import type { Patience } from './frames.ts'
import { type Refused, refusedBy } from './refused.ts'
import { type Asked, ask, jsonOf, type Place, type Reply } from './wire.ts'

export interface HermesLimits extends Patience {
  /** For what it is asked in passing: what it can do, whether it runs. */
  readonly probeMs: number
  readonly keptMs: number
  /** Until it begins to answer. */
  readonly beginMs: number
  /** To be told to stop. */
  readonly stopMs: number
  /** Between one look at a run and the next, and how long it may be gone. */
  readonly pollMs: number
  readonly goneMs: number
  /** The longest that is waited because it is busy, in all. */
  readonly busyMs: number
}

export const LIMITS: HermesLimits = {
  quietMs: 100_000,
  silentMs: 30 * 60_000,
  probeMs: 1_500,
  keptMs: 60_000,
  beginMs: 60_000,
  stopMs: 2_000,
  pollMs: 500,
  goneMs: 3_000,
  busyMs: 10_000,
}

/** An API server of Hermes, and what is known of it. */
export interface Server {
  readonly place: Place
  readonly limits: HermesLimits
  readonly capabilities: CapabilitiesCache
  /** Sessions in which a turn was stopped or failed, and may even run on. */
  readonly left: Set<string>
  /** What is still being told to stop. */
  readonly stopping: Set<Promise<unknown>>
}

const MOST_TRIES = 5
const never = new AbortController().signal

/** Asks for something that is begun; whoever is busy is asked again, as long as that is soon. */
export async function begin(
  { place, limits }: Server,
  asked: Omit<Asked, 'ms' | 'method'>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (ms: number) => void },
): Promise<Reply | Refused> {
  let left = limits.busyMs
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(place, { ...asked, method: 'POST', ms: limits.beginMs })
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

/** A short question whose answer is JSON. */
export async function call(
  { place, limits }: Server,
  method: 'GET' | 'POST',
  path: string,
  { body, ms = limits.probeMs, signal = never }: { body?: Fields; ms?: number; signal?: AbortSignal } = {},
): Promise<{ readonly ok: true; readonly value: Fields } | ({ readonly ok: false } & Refused)> {
  const reply = await ask(place, { method, path, body, signal, ms })
  if ('type' in reply) return { ok: false, failed: reply, status: 0, code: '', again: null }
  if (reply.status < 200 || reply.status >= 300) return { ok: false, ...(await refusedBy(place, reply)) }
  const value = await jsonOf(reply, ms)
  return value === null
    ? { ok: false, failed: unreadable(), status: reply.status, code: '', again: null }
    : { ok: true, value }
}

const unreadable = (): Failed => failedWith('malformed', 'Hermes said what nobody can read.')

/** A new session; its name is Hermes' own. */
export async function newSession(server: Server, signal: AbortSignal): Promise<string | Refused> {
  const made = await call(server, 'POST', '/api/sessions', { body: {}, ms: server.limits.beginMs, signal })
  if (!made.ok) return made
  const { session, id, session_id } = made.value
  const name = textOf(fieldsOf(session).id) || textOf(id) || textOf(session_id)
  return name === '' ? { failed: unreadable(), status: 200, code: '', again: null } : name
}

export async function stopRun(server: Server, run: string): Promise<void> {
  await call(server, 'POST', `${runPath(run)}/stop`, { body: {}, ms: server.limits.stopMs })
}

export const runPath = (run: string): string => `/v1/runs/${encodeURIComponent(run)}`
