import { redactText } from '@panoptes/engine/redact'
import type { ErrorClass } from '@panoptes/schema'
import type { Gathered } from './gather.ts'
import type { ModelError } from './port.ts'
import { askedPatience } from './retries.ts'

const LONGEST = 500
/** Of a longer text only so much is looked at. */
const READ = 65_536

interface ApiError {
  readonly status?: number
  readonly code?: unknown
  readonly message?: string
  readonly name?: string
  readonly cause?: unknown
  readonly headers?: Headers
  readonly error?: unknown
}

/** Why a call failed, in one of few classes. The key it was made with is never told. */
export function modelError(
  error: unknown,
  signals: Signals,
  gathered: Gathered,
  key?: string | undefined,
): ModelError {
  const told = (typeof error === 'object' && error !== null ? error : {}) as ApiError
  const kind = classOf(told, signals)
  const retry = retryOf(told, kind)
  return {
    class: kind,
    message: messageOf(told, signals, key),
    status: typeof told.status === 'number' ? told.status : null,
    partial: gathered.text,
    usage: gathered.usage,
    ...(retry ? { retry } : {}),
  }
}

const PASSING: ReadonlySet<ErrorClass> = new Set(['rate_limited', 'overloaded', 'network'])
/** An account without money stays without it. */
const LASTING = /insufficient_quota|billing/

function retryOf({ status, code, headers }: ApiError, kind: ErrorClass): ModelError['retry'] {
  const asked = headers?.get?.('x-should-retry')
  if (kind === 'aborted' || asked === 'false' || LASTING.test(String(code))) return undefined
  if (!PASSING.has(kind) && status !== 408 && status !== 409 && asked !== 'true') return undefined
  return { afterMs: askedPatience(headers) }
}

export interface Signals {
  /** Whoever asked no longer waits. */
  readonly aborted: () => boolean
  /** Nothing came for too long. */
  readonly timedOut: () => boolean
}

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: 'invalid',
  401: 'auth',
  402: 'auth',
  403: 'auth',
  404: 'not_found',
  408: 'timeout',
  413: 'too_long',
  422: 'invalid',
  429: 'rate_limited',
  529: 'overloaded',
}

const TOO_LONG = /context[ _-]?(length|window)|too long|maximum context|prompt is too long|too many tokens/i

function classOf(error: ApiError, { aborted, timedOut }: Signals): ErrorClass {
  if (aborted()) return 'aborted'
  if (timedOut() || isTimeout(error)) return 'timeout'
  const { status } = error
  if (status === undefined) return error instanceof SyntaxError ? 'bad_reply' : byWords(error)
  if (
    (status === 400 || status === 422) &&
    TOO_LONG.test(`${String(error.code ?? '')} ${error.message ?? ''}`)
  )
    return 'too_long'
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'bad_reply')
}

const isTimeout = ({ name = '', message = '', cause }: ApiError): boolean =>
  /Timeout/.test(name) ||
  /timed out/i.test(message) ||
  /TIMEOUT|ETIMEDOUT/.test(String((cause as { code?: unknown } | undefined)?.code))

/** A provider may say what is wrong in the middle of its answer, where there is no status. */
function byWords({ code, message = '' }: ApiError): ErrorClass {
  const words = `${String(code ?? '')} ${message}`
  if (/overloaded/i.test(words)) return 'overloaded'
  if (/rate.?limit/i.test(words)) return 'rate_limited'
  if (TOO_LONG.test(words)) return 'too_long'
  if (/JSON|unexpected|parse/i.test(words)) return 'bad_reply'
  return 'network'
}

function messageOf(error: ApiError, { aborted, timedOut }: Signals, key: string | undefined): string {
  if (aborted()) return 'The call was stopped.'
  if (timedOut()) return 'No sign of life within the time.'
  const cause = error.cause as { message?: unknown; code?: unknown } | undefined
  const why = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  const patience = askedPatience(error.headers)
  // Who may be asked at once has asked for nothing.
  const until = !patience ? '' : ` It asks to be asked again in ${Math.ceil(patience / 1_000)} s.`
  const said = redactText(`${wordsOf(error).slice(0, READ)}${why}`).text
  const keyless = key === undefined || key.length < 4 ? said : said.replaceAll(key, '[redacted]')
  return `${keyless.slice(0, LONGEST)}${until}`
}

/** Anthropic's reason stands one deeper, and would come with all that is around it. */
function wordsOf({ status, error, message = 'The provider gave no reason.' }: ApiError): string {
  const inner = (error as { error?: { message?: unknown } } | undefined)?.error?.message
  return typeof inner === 'string' ? [status, inner].filter(Boolean).join(' ') : message
}

/** An answer that just stopped: a stream says when it is over. */
export const brokenOff = (gathered: Gathered): ModelError => ({
  class: 'network',
  message: 'The answer broke off before its end.',
  status: null,
  partial: gathered.text,
  usage: gathered.usage,
  retry: { afterMs: null },
})

export const tooLarge = (gathered: Gathered): ModelError => ({
  class: 'bad_reply',
  message: 'The answer is larger than any answer may be.',
  status: null,
  partial: gathered.text.slice(0, LONGEST),
  usage: gathered.usage,
})
