import type { ModelError } from '@panoptes/engine/models'
import type { ErrorClass } from '@panoptes/schema'
import type { Refusal } from '../problem.ts'

interface Answer {
  readonly status: number
  readonly type: string
}

const ANSWERS: Readonly<Record<ErrorClass, Answer>> = {
  auth: { status: 401, type: 'authentication_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  overloaded: { status: 503, type: 'server_error' },
  timeout: { status: 504, type: 'timeout_error' },
  aborted: { status: 499, type: 'aborted' },
  invalid: { status: 400, type: 'invalid_request_error' },
  too_long: { status: 400, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  network: { status: 502, type: 'server_error' },
  bad_reply: { status: 502, type: 'server_error' },
  skipped: { status: 503, type: 'server_error' },
}

/** Why it failed, in the words of OpenAI. */
export const errorBody = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code },
})

export const statusOf = ({ class: kind }: ModelError): number => ANSWERS[kind].status

/** The code says which class it is; that of a prompt that is too long is the one clients know. */
export const modelErrorBody = ({ class: kind, message }: ModelError) =>
  errorBody(message, ANSWERS[kind].type, kind === 'too_long' ? 'context_length_exceeded' : kind)

const REFUSED: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  429: 'rate_limit_error',
}

/** A refusal of ours, for clients that know OpenAI's. */
export function refusedBody({ status, detail, next, code }: Refusal): string {
  const type = REFUSED[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return JSON.stringify(errorBody(`${detail} ${next}`, type, code))
}

/** What OpenTelemetry has there: spans and their like, whose senders know no errors of OpenAI. */
const TELEMETRY = /^\/v1\/(?:traces|logs|metrics)(?:\/|$)/

/** Where clients of OpenAI ask: also for what is not there. */
export const isGatewayPath = (path: string): boolean => /^\/v1(?:\/|$)/.test(path) && !TELEMETRY.test(path)
