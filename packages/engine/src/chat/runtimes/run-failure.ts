import { redactText } from '@panoptes/engine/redact'
import type { ChatErrorCode } from '@panoptes/schema'
import { plain } from './plain-text.ts'
import type { RuntimeEvent } from './port.ts'

export type Failed = Extract<RuntimeEvent, { type: 'failed' }>

const LONGEST = 500
/** Only this much of a longer text is examined. */
const READ = 16_384

const PASSING: ReadonlySet<ChatErrorCode> = new Set([
  'unreachable',
  'rate_limited',
  'provider_error',
  'timed_out',
  'malformed',
  'died',
  'interrupted',
])

export const failedWith = (
  code: ChatErrorCode,
  message: string,
  retryable: boolean = PASSING.has(code),
): Failed => ({ type: 'failed', code, message: safeWords(message), retryable })

/** Makes external text safe to show: short, without secrets and terminal sequences. */
export function safeWords(text: string, key?: string | undefined): string {
  const redacted = redactText(plain(text.slice(0, READ))).text.trim()
  const keyless = key === undefined || key.length < 4 ? redacted : redacted.replaceAll(key, '[redacted]')
  return keyless.length > LONGEST ? `${keyless.slice(0, LONGEST - 1)}…` : keyless
}

const BY_WORDS: readonly (readonly [RegExp, ChatErrorCode])[] = [
  [
    /\b(?:401|403)\b|unauthori[sz]ed|authenticat|invalid (?:api |x-api-)?key|not logged in|\/login/i,
    'unauthorized',
  ],
  [/\b429\b|rate.?limit|too many requests|usage limit|quota/i, 'rate_limited'],
  [/context.?(?:length|window)|prompt is too long|maximum context|too many tokens/i, 'too_long'],
  [/timed? ?out/i, 'timed_out'],
]

/** Classifies an error if only its text says what is wrong. */
export const codeInWords = (text: string, otherwise: ChatErrorCode = 'provider_error'): ChatErrorCode =>
  BY_WORDS.find(([words]) => words.test(text.slice(0, READ)))?.[1] ?? otherwise
