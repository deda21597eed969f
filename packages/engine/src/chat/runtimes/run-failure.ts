import { redactText } from '@panoptes/engine/redact'
import type { ChatErrorCode } from '@panoptes/schema'
import { toPlainText } from './plain-text.ts'
import type { RuntimeEvent } from './port.ts'

export type RunFailure = Extract<RuntimeEvent, { type: 'failed' }>

const LONGEST = 500
/** Only this much of a longer text is examined. */
const READ = 16_384

const RETRYABLE: ReadonlySet<ChatErrorCode> = new Set([
  'unreachable',
  'rate_limited',
  'provider_error',
  'timed_out',
  'malformed',
  'died',
  'interrupted',
])

export const createFailure = (
  code: ChatErrorCode,
  message: string,
  retryable: boolean = RETRYABLE.has(code),
): RunFailure => ({ type: 'failed', code, message: toSafeText(message), retryable })

/** Makes external text safe to show: short, without secrets and terminal sequences. */
export function toSafeText(text: string, key?: string | undefined): string {
  const redacted = redactText(toPlainText(text.slice(0, READ))).text.trim()
  const keyless = key === undefined || key.length < 4 ? redacted : redacted.replaceAll(key, '[redacted]')
  return keyless.length > LONGEST ? `${keyless.slice(0, LONGEST - 1)}…` : keyless
}

const TEXT_PATTERNS: readonly (readonly [RegExp, ChatErrorCode])[] = [
  [
    /\b(?:401|403)\b|unauthori[sz]ed|authenticat|invalid (?:api |x-api-)?key|not logged in|\/login/i,
    'unauthorized',
  ],
  [/\b429\b|rate.?limit|too many requests|usage limit|quota/i, 'rate_limited'],
  [/context.?(?:length|window)|prompt is too long|maximum context|too many tokens/i, 'too_long'],
  [/timed? ?out/i, 'timed_out'],
]

/** Classifies an error if only its text says what is wrong. */
export const classifyText = (text: string, otherwise: ChatErrorCode = 'provider_error'): ChatErrorCode =>
  TEXT_PATTERNS.find(([words]) => words.test(text.slice(0, READ)))?.[1] ?? otherwise
