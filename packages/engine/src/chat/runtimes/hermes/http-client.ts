import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as sealedRequest } from 'node:https'
import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { Fields } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'

/** The address of a Hermes API server, and the key that only it may get. */
export interface Place {
  /** It has no trailing slash and may have a path, for example that of a profile. */
  readonly url: string
  readonly key: string | null
}

export interface HermesRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Fields | undefined
  readonly accept?: string | undefined
  readonly signal: AbortSignal
  /** Time limit until the first line of the answer. */
  readonly ms: number
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
}

/** The maximum size of an answer that is not a stream. */
const MOST_BYTES = 8_000_000

/**
 * Sends one request on a connection of its own, because a kept-alive one would be dead after a
 * restart. It does not follow redirects and never throws.
 */
export function sendRequest({ url, key }: Place, request: HermesRequest): Promise<Reply | RunFailure> {
  const to = new URL(`${url}${request.path}`)
  const text = request.body === undefined ? null : JSON.stringify(request.body)
  const signal = request.signal
  if (signal.aborted) return Promise.resolve(createStoppedFailure())
  return new Promise((done) => {
    const send = to.protocol === 'https:' ? sealedRequest : plainRequest
    const outgoing = send(to, {
      method: request.method,
      agent: false,
      headers: {
        accept: request.accept ?? 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(text === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    })
    const late = setTimeout(() => {
      done(
        createFailure(
          'timed_out',
          `Hermes at ${url} did not answer within ${Math.ceil(request.ms / 1_000)} s.`,
        ),
      )
      outgoing.destroy()
    }, request.ms)
    const stop = () => {
      done(createStoppedFailure())
      outgoing.destroy()
    }
    signal.addEventListener('abort', stop, { once: true })
    const settle = () => clearTimeout(late)
    outgoing
      .on('response', (body) => {
        settle()
        // The reader of the body sees the error.
        body.on('error', () => {})
        done({ status: body.statusCode ?? 0, headers: body.headers, body })
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        settle()
        done(toConnectionFailure(url, error))
      })
      .on('close', () => signal.removeEventListener('abort', stop))
      .end(text ?? undefined)
  })
}

/** Reads the answer as JSON; null if it is not JSON, too large or too late. */
export async function readJson({ body }: Reply, ms: number): Promise<Fields | null> {
  const late = setTimeout(() => body.destroy(new Error('late')), ms)
  try {
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > MOST_BYTES) return null
      parts.push(part)
    }
    const value: unknown = parseJson(Buffer.concat(parts).toString('utf8'))
    return isPlainObject(value) ? value : null
  } catch {
    return null
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

const createStoppedFailure = (): RunFailure => createFailure('interrupted', 'Hermes was stopped.')

/** Advice for the user if no server answers. It continues a sentence. */
export const HOW_TO_START =
  'set API_SERVER_ENABLED=true and API_SERVER_KEY in ~/.hermes/.env and run `hermes gateway`.'

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
])

function toConnectionFailure(url: string, { code, message }: NodeJS.ErrnoException): RunFailure {
  if (UNREACHABLE_CODES.has(code ?? ''))
    return createFailure(
      'unreachable',
      `No API server of Hermes answers at ${url} (${code}). To start it, ${HOW_TO_START}`,
    )
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code ?? ''))
    return createFailure(
      'unreachable',
      `The connection to Hermes at ${url} is not secure: ${message}.`,
      false,
    )
  return createFailure('died', `The connection to Hermes at ${url} broke (${code ?? message}).`)
}
