import { setTimeout as sleep } from 'node:timers/promises'
import { check, problemDetails, type Result } from '@panoptes/schema'
import type { z } from 'zod'
import { hubUrl, nameOf } from './hub-url.ts'
import { type Refusal, refused, type Trouble, trouble, unreachable } from './problem.ts'

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: Trouble }

/** One hub. Everything that is sent to it goes through here, within the bandwidth that it may take. */
export interface Hub {
  readonly url: URL
  readonly bytesPerSecond: number | null
  readonly ask: <T>(asked: Asked<T>, signal: AbortSignal) => Promise<Answer<T>>
}

interface Asked<T> {
  readonly method: 'GET' | 'POST'
  /** Below the hub's own address, such as `/events`. */
  readonly path: string
  readonly reply: z.ZodType<T>
  /** NDJSON, compressed, and how long it is when it is not. */
  readonly body?: { readonly gzip: Buffer<ArrayBuffer>; readonly bytes: number }
  readonly withoutToken?: boolean
}

export interface HubOptions {
  readonly to: string
  /** Asked for each request: a token that was replaced counts from the next one on. */
  readonly token: () => Promise<Result<string>>
  readonly patienceMs?: number
  readonly maxKbPerSecond?: number | null
}

const PATIENCE_MS = 60_000

/** What a body of a hub's own inflates to, so that it keeps no more room free than that. */
const INFLATED_HEADER = 'x-inflated-length'

const MOST_REPLY = 4_194_304

export function openHub({ to, token, patienceMs = PATIENCE_MS, maxKbPerSecond = null }: HubOptions): Hub {
  const url = hubUrl(to)
  const base = nameOf(url)
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
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        })
        const text = await textOf(answered)
        if (answered.ok) return read(reply, text, url)
        const { status, headers: said } = answered
        const refusal = { status, retryAfter: said.get('retry-after'), ...saidIn(text) }
        return { ok: false, trouble: refused(refusal, url) }
      } catch (error) {
        return { ok: false, trouble: unreachable(error, url, patienceMs) }
      }
    },
  }
}

/** Lets each body wait until those before it have had the time that they take. */
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
  trouble('token', message, 'Give it one: panoptes forward --to URL --token-file FILE')

/** A page that somebody between here and the hub put in its place is no answer: nothing was stored then. */
function read<T>(reply: z.ZodType<T>, text: string, hub: URL): Answer<T> {
  const checked = check(reply, parsed(text))
  if (checked.ok) return { ok: true, value: checked.value }
  return {
    ok: false,
    trouble: trouble(
      'address',
      `${hub.host} answered, and not as a hub of Panoptes does`,
      'Check the address, and what stands between here and the hub.',
    ),
  }
}

async function textOf(answered: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answered.body ?? []) {
    bytes += part.length
    if (bytes > MOST_REPLY) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** What is said of a refusal, in a line, and whether a hub said it or somebody on the way there. */
function saidIn(text: string): Pick<Refusal, 'said' | 'advice' | 'code' | 'byHub'> {
  const problem = check(problemDetails, parsed(text))
  if (!problem.ok) return { said: '', advice: '', code: '', byHub: false }
  const { type, detail, title, code, next = '' } = problem.value
  const byHub = type.startsWith('urn:panoptes:')
  return {
    said: (detail || title).slice(0, 300),
    advice: byHub ? next.slice(0, 300) : '',
    code: byHub && typeof code === 'string' ? code : '',
    byHub,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
