import type { ModelError } from '@panoptes/engine/models'
import type { ChatErrorCode, ErrorClass } from '@panoptes/schema'
import type { RuntimeEvent } from '../port.ts'

type Failed = Extract<RuntimeEvent, { type: 'failed' }>

const CODES: Readonly<Record<ErrorClass, ChatErrorCode>> = {
  auth: 'unauthorized',
  rate_limited: 'rate_limited',
  overloaded: 'provider_error',
  timeout: 'timed_out',
  aborted: 'interrupted',
  invalid: 'provider_error',
  too_long: 'too_long',
  not_found: 'not_configured',
  network: 'unreachable',
  bad_reply: 'malformed',
  skipped: 'provider_error',
}

const PASSING: ReadonlySet<ErrorClass> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'network',
  'bad_reply',
])

interface Asked {
  /** Of the model, or of the preset. */
  readonly name: string
  readonly hasBegun: boolean
}

/** Why a model gave no answer, in the words of a chat. A connection that is lost in the middle of an answer is another thing than none. */
export function failureOf(error: ModelError, { name, hasBegun }: Asked): Failed {
  return {
    type: 'failed',
    code: error.class === 'network' && hasBegun ? 'died' : CODES[error.class],
    message: error.message.includes(name) ? error.message : `${name}: ${error.message}`,
    retryable: error.retry !== undefined || PASSING.has(error.class),
  }
}

export const notConfigured = (message: string): Failed => ({
  type: 'failed',
  code: 'not_configured',
  message,
  retryable: false,
})
