import { setTimeout as sleep } from 'node:timers/promises'
import type { TranscriptReceiver } from '@panoptes/engine/sources'
import {
  check,
  type ForwardProblem,
  failure,
  health,
  ingestReply,
  problemDetails,
  type Result,
  success,
  transcriptIndex,
  transcriptsReply,
} from '@panoptes/schema'
import { tryParseJson } from '@panoptes/schema/json'
import type { z } from 'zod'
import { compress } from './batch.ts'
import { hubName, hubUrl } from './hub-url.ts'
import { type Refusal, refused, type Trouble, trouble, unreachable } from './problem.ts'

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble }

/** A client for one hub. Every request goes through it, within the bandwidth limit. */
export interface Hub {
  readonly url: URL
  readonly bytesPerSecond: number | null
  readonly ask: <T>(request: HubRequest<T>, signal: AbortSignal) => Promise<Answer<T>>
}

interface HubRequest<T> {
  readonly method: 'GET' | 'POST'
  /** The path below the hub's own address, such as `/events`. */
  readonly path: string
  readonly reply: z.ZodType<T>
  /** Compressed NDJSON, and its uncompressed size. */
  readonly body?: { readonly gzip: Buffer<ArrayBuffer>; readonly bytes: number }
  readonly withoutToken?: boolean
}

export interface HubOptions {
  readonly to: string
  /** This is called for each request, so that a replaced token takes effect with the next one. */
  readonly token: () => Promise<Result<string>>
  readonly timeoutMs?: number
  readonly maxKbPerSecond?: number | null
}

const TIMEOUT_MS = 60_000

/** Tells the hub the inflated size of the body, so that it reserves no more memory than that. */
const INFLATED_HEADER = 'x-inflated-length'

const MOST_REPLY = 4_194_304

export type Contact =
  | { readonly ok: true; readonly version: string; readonly to: string }
  | { readonly ok: false; readonly problem: ForwardProblem }

const CHECK_TIMEOUT_MS = 15_000

export function openHub({ to, token, timeoutMs = TIMEOUT_MS, maxKbPerSecond = null }: HubOptions): Hub {
  const url = hubUrl(to)
  const base = hubName(url)
  const bytesPerSecond = maxKbPerSecond === null ? null : maxKbPerSecond * 1_024
  const inTurn = createTurns(bytesPerSecond)
  return {
    url,
    bytesPerSecond,
    ask: async ({ method, path, reply, body, withoutToken }, signal) => {
      const headers = new Headers()
      if (withoutToken !== true) {
        const read = await token()
        if (!read.ok) return { ok: false, trouble: noToken(read.message) }
        headers.set('authorization', `Bearer ${read.value}`)
      }
      if (body) {
        headers.set('content-type', 'application/x-ndjson')
        headers.set('content-encoding', 'gzip')
        headers.set(INFLATED_HEADER, String(body.bytes))
      }
      try {
        if (body) await inTurn(body.gzip.length, signal)
        const answered = await fetch(`${base}${path}`, {
          method,
          headers,
          redirect: 'manual',
          ...(body ? { body: body.gzip } : {}),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        const text = await readBody(answered)
        if (answered.ok) return read(reply, text, url)
        const { status, headers: responseHeaders } = answered
        const refusal = { status, retryAfter: responseHeaders.get('retry-after'), ...parseProblem(text) }
        return { ok: false, trouble: refused(refusal, url) }
      } catch (error) {
        return { ok: false, trouble: unreachable(error, url, timeoutMs) }
      }
    },
  }
}

/** Delays each body until the previous ones have used up their share of the bandwidth. */
function createTurns(bytesPerSecond: number | null) {
  let free = 0
  return async (bytes: number, signal: AbortSignal): Promise<void> => {
    if (bytesPerSecond === null) return
    const now = performance.now()
    const start = Math.max(now, free)
    free = start + (bytes / bytesPerSecond) * 1_000
    if (start > now) await sleep(start - now, undefined, { signal })
  }
}

const noToken = (message: string): Trouble =>
  trouble('token', message, 'Set one: panoptes forward --to URL --token-file FILE')

/** A page from a proxy in front of the hub is not an answer: nothing was stored then. */
function read<T>(reply: z.ZodType<T>, text: string, hub: URL): Answer<T> {
  const checked = check(reply, tryParseJson(text))
  if (checked.ok) return { ok: true, value: checked.value }
  return {
    ok: false,
    trouble: trouble(
      'address',
      `${hub.host} answered but is not a Panoptes hub`,
      'Check the address and any proxy in between.',
    ),
  }
}

async function readBody(answered: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answered.body ?? []) {
    bytes += part.length
    if (bytes > MOST_REPLY) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Parses the error of a refusal, and whether the hub or a proxy sent it. */
function parseProblem(text: string): Pick<Refusal, 'detail' | 'advice' | 'code' | 'byHub'> {
  const problem = check(problemDetails, tryParseJson(text))
  if (!problem.ok) return { detail: '', advice: '', code: '', byHub: false }
  const { type, detail, title, code, next = '' } = problem.value
  const byHub = type.startsWith('urn:panoptes:')
  return {
    detail: (detail || title).slice(0, 300),
    advice: byHub ? next.slice(0, 300) : '',
    code: byHub && typeof code === 'string' ? code : '',
    byHub,
  }
}

/** Checks whether a hub answers and accepts events with this token. The check stores nothing. */
export async function checkHub(
  to: string,
  token: () => Promise<Result<string>>,
  signal: AbortSignal,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Contact> {
  const hub: Hub = openHub({ to, token, timeoutMs })
  const there = await hub.ask({ method: 'GET', path: '/health', reply: health, withoutToken: true }, signal)
  if (!there.ok) return { ok: false, problem: there.trouble }
  const nothing = { gzip: await compress(''), bytes: 0 }
  const taken = await hub.ask({ method: 'POST', path: '/events', reply: ingestReply, body: nothing }, signal)
  if (!taken.ok) return { ok: false, problem: taken.trouble }
  return { ok: true, version: there.value.version, to: hubName(hub.url) }
}

/** Creates a receiver of whole sessions at a hub. `home` distinguishes computers that share a name. */
export function transcriptReceiver(hub: Hub, host: string, home: string): TranscriptReceiver {
  const of = (query: Readonly<Record<string, string>>) => new URLSearchParams({ ...query, host, home })
  return {
    known: async (source, signal) => {
      const path = `/api/transcripts/known?${of({ source })}`
      const answer = await hub.ask({ method: 'GET', path, reply: transcriptIndex }, signal)
      return answer.ok ? success(new Map(Object.entries(answer.value.known))) : failed(answer)
    },
    send: async (lines, signal) => {
      const body = { gzip: await compress(lines), bytes: Buffer.byteLength(lines) }
      const path = `/api/transcripts?${of({})}`
      const answer = await hub.ask({ method: 'POST', path, reply: transcriptsReply, body }, signal)
      return answer.ok ? success(answer.value) : failed(answer)
    },
  }
}

const WRONG: ReadonlySet<string> = new Set(['invalid', 'too_large'])

function failed<T>(answer: Answer<unknown> & { readonly ok: false }): Result<T> {
  const { kind, message } = answer.trouble
  return failure(WRONG.has(kind) ? 'invalid' : 'busy', message)
}
