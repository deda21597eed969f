import { tryParseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { Fields } from '../fields.ts'
import { failsAsText } from './text.ts'
import { hasTrace } from './traces.ts'

const EXITS = ['exit_code', 'exitCode', 'exit_status', 'exitStatus', 'returncode', 'return_code']
const FAILED: ReadonlySet<string> = new Set([
  ...['error', 'failed', 'failure', 'timeout', 'timed_out', 'timedout'],
  ...['interrupted', 'cancelled', 'canceled', 'aborted'],
])
const NO_ERROR: ReadonlySet<string> = new Set(['', 'none', 'null', 'false'])
/** The fields in which a wrapper stores the wrapped result. */
const WITHIN = ['result', 'data', 'output', 'metadata']
const TEXT_FIELDS = ['result', 'data', 'output', 'content', 'text']
const PRINTED = ['stdout', 'stderr', 'traceback']

/**
 * Decides whether a result that begins with JSON reports a failure; by words only if they count.
 * Undefined for plain text.
 */
export function judgeAsJson(text: string, wordsCount: boolean): boolean | undefined {
  const start = text.slice(0, 64).trimStart()[0]
  if (start !== '{' && start !== '[') return undefined
  const value = tryParseJson(text) ?? tryParseJson(extractLeadingJson(text))
  if (Array.isArray(value))
    return value.some((item) => isPlainObject(item) && hasBlockFailed(item, wordsCount))
  if (!isPlainObject(value)) return undefined
  const all = [value, ...WITHIN.map((name) => value[name]).filter(isPlainObject)]
  if (all.some(reportsFailure)) return true
  if (!wordsCount || all.some(hasExited)) return false
  return all.some(printsFailure)
}

/** In a list, only message blocks describe the call; other items are its data. */
function hasBlockFailed(block: Fields, wordsCount: boolean): boolean {
  if (block.is_error === true || block.isError === true) return true
  return wordsCount && block.type === 'text' && matchesText(block.text, failsAsText)
}

function reportsFailure(fields: Fields): boolean {
  if (isFalse(fields.success) || isFalse(fields.ok)) return true
  if (fields.is_error === true || fields.isError === true) return true
  if (isError(fields.error) || (Array.isArray(fields.errors) && fields.errors.length > 0)) return true
  if (isBadStatus(fields.status)) return true
  return EXITS.some((name) => isOtherThanZero(fields[name])) || isExit(fields.code)
}

const printsFailure = (fields: Fields): boolean =>
  TEXT_FIELDS.some((name) => matchesText(fields[name], failsAsText)) ||
  PRINTED.some((name) => matchesText(fields[name], hasTrace))

const hasExited = (fields: Fields): boolean =>
  EXITS.some((name) => fields[name] === 0 || fields[name] === '0')

const isFalse = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && value.toLowerCase() === 'false')

const isBadStatus = (status: unknown): boolean =>
  (typeof status === 'string' && FAILED.has(status.toLowerCase())) ||
  (typeof status === 'number' && status >= 400 && status < 600)

/** Empty errors do not count, and a number may be a numerical error. */
function isError(error: unknown): boolean {
  if (typeof error === 'string') return !NO_ERROR.has(error.trim().toLowerCase())
  if (Array.isArray(error)) return error.length > 0
  return error === true || (isPlainObject(error) && Object.keys(error).length > 0)
}

const isOtherThanZero = (code: unknown): boolean =>
  (typeof code === 'number' && code !== 0) ||
  (typeof code === 'string' && /^-?\d+$/.test(code) && +code !== 0)

/** A bare `code` may also be an HTTP status, where 100 to 103 and 200 to 399 are successes. */
const isExit = (code: unknown): boolean =>
  isOtherThanZero(code) &&
  !(Number(code) >= 200 && Number(code) < 400) &&
  !(Number(code) >= 100 && Number(code) <= 103)

const matchesText = (value: unknown, bad: (text: string) => boolean): boolean =>
  typeof value === 'string' && bad(value)

/** Characters that may end a text or nest; everything else is skipped. */
const MARKS = /["{}[\]]/g
const TEXT_END = /["\\]/g

/**
 * Returns the object or list at the beginning of a text that is followed by words; the whole text
 * if it does not end.
 */
function extractLeadingJson(text: string): string {
  let depth = 0
  MARKS.lastIndex = 0
  for (let mark = MARKS.exec(text); mark; mark = MARKS.exec(text)) {
    const [sign] = mark
    if (sign === '"') {
      const end = findTextEnd(text, mark.index + 1)
      if (end < 0) return text
      MARKS.lastIndex = end
      continue
    }
    depth += sign === '{' || sign === '[' ? 1 : -1
    if (depth <= 0) return text.slice(0, mark.index + 1)
  }
  return text
}

/** Returns the position after the closing quote of a text; negative if there is none. */
function findTextEnd(text: string, from: number): number {
  TEXT_END.lastIndex = from
  for (let mark = TEXT_END.exec(text); mark; mark = TEXT_END.exec(text)) {
    if (mark[0] === '"') return mark.index + 1
    TEXT_END.lastIndex = mark.index + 2
  }
  return -1
}
