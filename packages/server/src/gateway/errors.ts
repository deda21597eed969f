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

/** An error body in the format of OpenAI. */
export const errorBody = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code },
})

export const errorStatus = ({ class: kind }: ModelError): number => ANSWERS[kind].status

/** The code names the class of the error. Clients know the one for a prompt that is too long. */
export const modelErrorBody = ({ class: kind, message }: ModelError) =>
  errorBody(message, ANSWERS[kind].type, kind === 'too_long' ? 'context_length_exceeded' : kind)

const REFUSED: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  429: 'rate_limit_error',
}

/** Writes a refusal of the server in the format of OpenAI. */
export function refusedBody({ status, detail, next, code }: Refusal): string {
  const type = REFUSED[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return JSON.stringify(errorBody(`${detail} ${next}`, type, code))
}

/** The OTLP paths: their senders do not know OpenAI's error format. */
const TELEMETRY = /^\/v1\/(?:traces|logs|metrics)(?:\/|$)/

/** Whether OpenAI clients use the path, also if there is no such route. */
export const isGatewayPath = (path: string): boolean => /^\/v1(?:\/|$)/.test(path) && !TELEMETRY.test(path)
