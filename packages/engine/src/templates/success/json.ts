import { type Fields, isFields, parsedJson } from '../fields.ts'
import { leadingJson } from './leading-json.ts'
import { failsAsText } from './text.ts'
import { hasTrace } from './traces.ts'

const EXITS = ['exit_code', 'exitCode', 'exit_status', 'exitStatus', 'returncode', 'return_code']
const FAILED: ReadonlySet<string> = new Set([
  ...['error', 'failed', 'failure', 'timeout', 'timed_out', 'timedout'],
  ...['interrupted', 'cancelled', 'canceled', 'aborted'],
])
const NO_ERROR: ReadonlySet<string> = new Set(['', 'none', 'null', 'false'])
/** Where a wrapper keeps what it wraps. */
const WITHIN = ['result', 'data', 'output', 'metadata']
const SAID = ['result', 'data', 'output', 'content', 'text']
const PRINTED = ['stdout', 'stderr', 'traceback']

/** Whether a result that begins with JSON tells of a failure, by its words only where they count. Undefined where it is a text. */
export function judgedAsJson(text: string, wordsCount: boolean): boolean | undefined {
  const start = text.slice(0, 64).trimStart()[0]
  if (start !== '{' && start !== '[') return undefined
  const value = parsedJson(text) ?? parsedJson(leadingJson(text))
  if (Array.isArray(value)) return value.some((item) => isFields(item) && failsAsBlock(item, wordsCount))
  if (!isFields(value)) return undefined
  const all = [value, ...WITHIN.map((name) => value[name]).filter(isFields)]
  if (all.some(saysFailed)) return true
  if (!wordsCount || all.some(hasExited)) return false
  return all.some(fails)
}

/** Of a list only what is a part of a message speaks of the call: others are what was asked for. */
function failsAsBlock(block: Fields, wordsCount: boolean): boolean {
  if (block.is_error === true || block.isError === true) return true
  return wordsCount && block.type === 'text' && says(block.text, failsAsText)
}

function saysFailed(fields: Fields): boolean {
  if (isFalse(fields.success) || isFalse(fields.ok)) return true
  if (fields.is_error === true || fields.isError === true) return true
  if (isError(fields.error) || (Array.isArray(fields.errors) && fields.errors.length > 0)) return true
  if (isBadStatus(fields.status)) return true
  return EXITS.some((name) => isOtherThanZero(fields[name])) || isExit(fields.code)
}

const fails = (fields: Fields): boolean =>
  SAID.some((name) => says(fields[name], failsAsText)) || PRINTED.some((name) => says(fields[name], hasTrace))

const hasExited = (fields: Fields): boolean =>
  EXITS.some((name) => fields[name] === 0 || fields[name] === '0')

const isFalse = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && value.toLowerCase() === 'false')

const isBadStatus = (status: unknown): boolean =>
  (typeof status === 'string' && FAILED.has(status.toLowerCase())) ||
  (typeof status === 'number' && status >= 400 && status < 600)

/** An empty text, list or object of errors is none, and a number may be how far something is off. */
function isError(error: unknown): boolean {
  if (typeof error === 'string') return !NO_ERROR.has(error.trim().toLowerCase())
  if (Array.isArray(error)) return error.length > 0
  return error === true || (isFields(error) && Object.keys(error).length > 0)
}

const isOtherThanZero = (code: unknown): boolean =>
  (typeof code === 'number' && code !== 0) ||
  (typeof code === 'string' && /^-?\d+$/.test(code) && +code !== 0)

/** A bare `code` may also be that of HTTP, where 100 to 103 and 200 to 399 are fine. */
const isExit = (code: unknown): boolean =>
  isOtherThanZero(code) &&
  !(Number(code) >= 200 && Number(code) < 400) &&
  !(Number(code) >= 100 && Number(code) <= 103)

const says = (value: unknown, bad: (text: string) => boolean): boolean =>
  typeof value === 'string' && bad(value)
