import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readRegular } from '@panoptes/engine/home'
import type { HermesConfig } from '@panoptes/schema'
import { type Fields, toFields, toText } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import type { CapabilitiesCache } from './capabilities.ts'
import type { StreamTimeouts } from './frames.ts'
import { type HermesRequest, type Place, type Reply, readJson, sendRequest } from './http-client.ts'
import { type Refusal, readRefusal } from './refusal.ts'

export interface HermesLimits extends StreamTimeouts {
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

type Env = Readonly<Record<string, string | undefined>>

/** The variable Hermes itself uses for the key of its API server. */
const KEY_VARIABLE = 'API_SERVER_KEY'
const MOST_CHARS = 100_000

/** Begins work, and retries while the server is busy if the stated delay is short. */
export async function beginWork(
  { place, limits }: Server,
  request: Omit<HermesRequest, 'ms' | 'method'>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (ms: number) => void },
): Promise<Reply | Refusal> {
  let left = limits.busyMs
  for (let tries = 1; ; tries += 1) {
    const reply = await sendRequest(place, { ...request, method: 'POST', ms: limits.beginMs })
    if ('type' in reply) return { failed: reply, status: 0, code: '', again: null }
    if (reply.status >= 200 && reply.status < 300) return reply
    const refused = await readRefusal(place, reply)
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
): Promise<{ readonly ok: true; readonly value: Fields } | ({ readonly ok: false } & Refusal)> {
  const reply = await sendRequest(place, { method, path, body, signal, ms })
  if ('type' in reply) return { ok: false, failed: reply, status: 0, code: '', again: null }
  if (reply.status < 200 || reply.status >= 300) return { ok: false, ...(await readRefusal(place, reply)) }
  const value = await readJson(reply, ms)
  return value === null
    ? { ok: false, failed: createUnreadableFailure(), status: reply.status, code: '', again: null }
    : { ok: true, value }
}

const createUnreadableFailure = (): RunFailure => createFailure('malformed', 'Hermes sent an invalid answer.')

/** Opens a session; Hermes chooses its id. */
export async function createSession(server: Server, signal: AbortSignal): Promise<string | Refusal> {
  const made = await call(server, 'POST', '/api/sessions', { body: {}, ms: server.limits.beginMs, signal })
  if (!made.ok) return made
  const { session, id, session_id } = made.value
  const name = toText(toFields(session).id) || toText(id) || toText(session_id)
  return name === '' ? { failed: createUnreadableFailure(), status: 200, code: '', again: null } : name
}

export async function stopRun(server: Server, run: string): Promise<void> {
  await call(server, 'POST', `${runPath(run)}/stop`, { body: {}, ms: server.limits.stopMs })
}

export const runPath = (run: string): string => `/v1/runs/${encodeURIComponent(run)}`

/** Returns the key for an address. The key of the local Hermes is only used for this computer. */
export async function findKey(
  url: string,
  { api_key_env, api_key_file }: Pick<HermesConfig, 'api_key_env' | 'api_key_file'>,
  env: Env,
): Promise<string | null> {
  if (api_key_env !== undefined) return env[api_key_env]?.trim() || null
  if (api_key_file !== undefined) return (await readText(expandHome(api_key_file, env)))?.trim() || null
  if (!isLocal(url)) return null
  return env[KEY_VARIABLE]?.trim() || (await readHermesVariables(env))[KEY_VARIABLE] || null
}

/** Reads the API server variables from the `.env` of Hermes, which is never written. */
export async function readHermesVariables(env: Env): Promise<Readonly<Record<string, string>>> {
  const text = await readText(join(env.HERMES_HOME || join(env.HOME || homedir(), '.hermes'), '.env'))
  const found: Record<string, string> = {}
  for (const line of (text ?? '').split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?(API_SERVER_[A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) found[name] = unquote(value)
  }
  return found
}

const unquote = (value: string): string =>
  /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value.replace(/\s+#.*$/, '')

export const isLocal = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(new URL(url).hostname)

const expandHome = (file: string, env: Env): string =>
  file.startsWith('~/') ? join(env.HOME || homedir(), file.slice(2)) : file

async function readText(file: string): Promise<string | null> {
  try {
    return (await readRegular(file)).slice(0, MOST_CHARS)
  } catch {
    return null
  }
}
