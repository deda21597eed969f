import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as sealedRequest } from 'node:https'
import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf } from '../fields.ts'

/** Where an API server of Hermes is, and the key that it alone is given. */
export interface Place {
  /** Without a trailing slash; it may have a path, such as that of a profile. */
  readonly url: string
  readonly key: string | null
}

export interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Fields | undefined
  readonly accept?: string | undefined
  readonly signal: AbortSignal
  /** Until the first line of an answer is there. */
  readonly ms: number
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
}

/** Of an answer that is no stream. */
const MOST_BYTES = 8_000_000

/** One request on a connection of its own: one that is kept would be dead after a restart. Redirects are not followed. It never throws. */
export function ask({ url, key }: Place, asked: Asked): Promise<Reply | Failed> {
  const to = new URL(`${url}${asked.path}`)
  const text = asked.body === undefined ? null : JSON.stringify(asked.body)
  const signal = asked.signal
  if (signal.aborted) return Promise.resolve(stopped())
  return new Promise((done) => {
    const send = to.protocol === 'https:' ? sealedRequest : plainRequest
    const outgoing = send(to, {
      method: asked.method,
      agent: false,
      headers: {
        accept: asked.accept ?? 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(text === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    })
    const late = setTimeout(() => {
      done(
        failedWith('timed_out', `Hermes at ${url} did not answer within ${Math.ceil(asked.ms / 1_000)} s.`),
      )
      outgoing.destroy()
    }, asked.ms)
    const stop = () => {
      done(stopped())
      outgoing.destroy()
    }
    signal.addEventListener('abort', stop, { once: true })
    const settle = () => clearTimeout(late)
    outgoing
      .on('response', (body) => {
        settle()
        // What breaks off is told to whoever reads it.
        body.on('error', () => {})
        done({ status: body.statusCode ?? 0, headers: body.headers, body })
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        settle()
        done(unreached(url, error))
      })
      .on('close', () => signal.removeEventListener('abort', stop))
      .end(text ?? undefined)
  })
}

/** The whole of an answer as JSON; null where it is none, or too much, or comes too late. */
export async function jsonOf({ body }: Reply, ms: number): Promise<Fields | null> {
  const late = setTimeout(() => body.destroy(new Error('late')), ms)
  try {
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > MOST_BYTES) return null
      parts.push(part)
    }
    const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? fieldsOf(value) : null
  } catch {
    return null
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

const stopped = (): Failed => failedWith('interrupted', 'Hermes was stopped.')

/** What to do where nobody answers. */
export const HOW_TO_START =
  'Start it with `hermes gateway`, with API_SERVER_ENABLED=true and API_SERVER_KEY in ~/.hermes/.env.'

const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])

function unreached(url: string, { code, message }: NodeJS.ErrnoException): Failed {
  if (NOBODY.has(code ?? ''))
    return failedWith('unreachable', `No API server of Hermes answers at ${url} (${code}). ${HOW_TO_START}`)
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code ?? ''))
    return failedWith('unreachable', `The connection to Hermes at ${url} is not safe: ${message}.`, false)
  return failedWith('died', `Hermes at ${url} broke off (${code ?? message}).`)
}
