import { redactText } from '@panoptes/engine/redact'
import type { ErrorClass } from '@panoptes/schema'
import type { Gathered } from './gather.ts'
import type { ModelError } from './port.ts'

const LONGEST = 500

interface ApiError {
  readonly status?: number
  readonly code?: unknown
  readonly message?: string
  readonly name?: string
  readonly cause?: unknown
}

/** Why a call failed, in one of few classes. */
export function modelError(error: unknown, signals: Signals, gathered: Gathered): ModelError {
  const told = (typeof error === 'object' && error !== null ? error : {}) as ApiError
  return {
    class: classOf(told, signals),
    message: messageOf(told, signals),
    status: typeof told.status === 'number' ? told.status : null,
    partial: gathered.text,
    usage: gathered.usage,
  }
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
  if (timedOut() || /Timeout/.test(error.name ?? '') || /timed out/i.test(error.message ?? ''))
    return 'timeout'
  const { status } = error
  if (status === undefined) return error instanceof SyntaxError ? 'bad_reply' : byWords(error)
  if (
    (status === 400 || status === 422) &&
    TOO_LONG.test(`${String(error.code ?? '')} ${error.message ?? ''}`)
  )
    return 'too_long'
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : 'bad_reply')
}

/** A provider may say what is wrong in the middle of its answer, where there is no status. */
function byWords({ code, message = '' }: ApiError): ErrorClass {
  const words = `${String(code ?? '')} ${message}`
  if (/overloaded/i.test(words)) return 'overloaded'
  if (/rate.?limit/i.test(words)) return 'rate_limited'
  if (TOO_LONG.test(words)) return 'too_long'
  if (/JSON|unexpected|parse/i.test(words)) return 'bad_reply'
  return 'network'
}

function messageOf(error: ApiError, { aborted, timedOut }: Signals): string {
  if (aborted()) return 'The call was stopped.'
  if (timedOut()) return 'No sign of life within the time.'
  const cause = error.cause as { message?: unknown; code?: unknown } | undefined
  const why = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return redactText(`${error.message ?? 'The provider gave no reason.'}${why}`).text.slice(0, LONGEST)
}

/** An answer that just stopped: a stream says when it is over. */
export const brokenOff = (gathered: Gathered): ModelError => ({
  class: 'network',
  message: 'The answer broke off before its end.',
  status: null,
  partial: gathered.text,
  usage: gathered.usage,
})

export const tooLarge = (gathered: Gathered): ModelError => ({
  class: 'bad_reply',
  message: 'The answer is larger than any answer may be.',
  status: null,
  partial: gathered.text.slice(0, LONGEST),
  usage: gathered.usage,
})
