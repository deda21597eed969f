import { redactText } from '@panoptes/engine/redact'
import type { ErrorClass } from '@panoptes/schema'
import type { ModelError } from './port.ts'
import type { ReplyAssembler } from './reply-assembler.ts'
import { parseRetryAfter } from './retries.ts'

const LONGEST = 500
/** Only this much of a longer text is examined. */
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

/** Classifies why a call failed. The message never contains the key. */
export function modelError(
  error: unknown,
  signals: Signals,
  gathered: ReplyAssembler,
  key?: string | undefined,
): ModelError {
  const apiError = (typeof error === 'object' && error !== null ? error : {}) as ApiError
  const kind = classifyError(apiError, signals)
  const retry = readRetry(apiError, kind)
  return {
    class: kind,
    message: errorMessage(apiError, signals, key),
    status: typeof apiError.status === 'number' ? apiError.status : null,
    partial: gathered.text,
    usage: gathered.usage,
    ...(retry ? { retry } : {}),
  }
}

const PASSING: ReadonlySet<ErrorClass> = new Set(['rate_limited', 'overloaded', 'network'])
/** An exhausted account does not recover by waiting. */
const LASTING = /insufficient_quota|billing/

function readRetry({ status, code, headers }: ApiError, kind: ErrorClass): ModelError['retry'] {
  const shouldRetry = headers?.get?.('x-should-retry')
  if (kind === 'aborted' || shouldRetry === 'false' || LASTING.test(String(code))) return undefined
  if (!PASSING.has(kind) && status !== 408 && status !== 409 && shouldRetry !== 'true') return undefined
  return { afterMs: parseRetryAfter(headers) }
}

export interface Signals {
  /** True if the caller aborted. */
  readonly aborted: () => boolean
  /** True if nothing arrived for too long. */
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

function classifyError(error: ApiError, { aborted, timedOut }: Signals): ErrorClass {
  if (aborted()) return 'aborted'
  if (timedOut() || isTimeout(error)) return 'timeout'
  const { status } = error
  if (status === undefined) return error instanceof SyntaxError ? 'bad_reply' : classifyByText(error)
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

/** Classifies by text an error in the middle of an answer, where there is no status code. */
function classifyByText({ code, message = '' }: ApiError): ErrorClass {
  const words = `${String(code ?? '')} ${message}`
  if (/overloaded/i.test(words)) return 'overloaded'
  if (/rate.?limit/i.test(words)) return 'rate_limited'
  if (TOO_LONG.test(words)) return 'too_long'
  if (/JSON|unexpected|parse/i.test(words)) return 'bad_reply'
  return 'network'
}

function errorMessage(error: ApiError, { aborted, timedOut }: Signals, key: string | undefined): string {
  if (aborted()) return 'The call was stopped.'
  if (timedOut()) return 'The provider sent nothing within the time limit.'
  const cause = error.cause as { message?: unknown; code?: unknown } | undefined
  const why = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  const retryAfter = parseRetryAfter(error.headers)
  // A delay of zero is not worth mentioning.
  const until = !retryAfter ? '' : ` Retry in ${Math.ceil(retryAfter / 1_000)} s.`
  const redacted = redactText(`${errorText(error).slice(0, READ)}${why}`).text
  const keyless = key === undefined || key.length < 4 ? redacted : redacted.replaceAll(key, '[redacted]')
  return `${keyless.slice(0, LONGEST)}${until}`
}

/**
 * Anthropic nests its error message one level deeper; without this the whole body would be shown.
 */
function errorText({ status, error, message = 'The provider gave no reason.' }: ApiError): string {
  const inner = (error as { error?: { message?: unknown } } | undefined)?.error?.message
  return typeof inner === 'string' ? [status, inner].filter(Boolean).join(' ') : message
}

/** The error for an answer that stopped without an end event. */
export const createCutOffError = (gathered: ReplyAssembler): ModelError => ({
  class: 'network',
  message: 'The answer was cut off.',
  status: null,
  partial: gathered.text,
  usage: gathered.usage,
  retry: { afterMs: null },
})

export const createTooLargeError = (gathered: ReplyAssembler): ModelError => ({
  class: 'bad_reply',
  message: 'The answer is too large.',
  status: null,
  partial: gathered.text.slice(0, LONGEST),
  usage: gathered.usage,
})
