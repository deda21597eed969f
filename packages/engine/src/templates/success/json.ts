import { failsAsText } from './text.ts'
import { hasTrace } from './traces.ts'

type Fields = Readonly<Record<string, unknown>>

const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code']
const FAILED: ReadonlySet<string> = new Set(['error', 'failed', 'failure', 'timeout', 'interrupted'])
/** Where a wrapper keeps what it wraps. */
const WITHIN = ['result', 'data', 'output']
const SAID = [...WITHIN, 'content', 'text']
const PRINTED = ['stdout', 'stderr', 'traceback']

/** Whether a result that is a JSON object tells of a failure. What only looks like one is a text. */
export function failsAsJson(text: string): boolean {
  const value = parsed(text)
  if (!isFields(value)) return failsAsText(text)
  return fails(value) || WITHIN.some((name) => isFields(value[name]) && fails(value[name]))
}

function fails(fields: Fields): boolean {
  if (fields.success === false || fields.ok === false) return true
  if (fields.is_error === true || fields.isError === true) return true
  if (isError(fields.error)) return true
  if (typeof fields.status === 'string' && FAILED.has(fields.status.toLowerCase())) return true
  if (EXITS.some((name) => isOtherThanZero(fields[name])) || isExit(fields.code)) return true
  return (
    SAID.some((name) => says(fields[name], failsAsText)) ||
    PRINTED.some((name) => says(fields[name], hasTrace))
  )
}

/** An empty text or list of errors is none, and a number may be how far something is off. */
function isError(error: unknown): boolean {
  if (typeof error === 'string') return error.trim() !== ''
  if (Array.isArray(error)) return error.length > 0
  return error === true || isFields(error)
}

const isOtherThanZero = (code: unknown): boolean =>
  (typeof code === 'number' && code !== 0) ||
  (typeof code === 'string' && /^-?\d+$/.test(code) && +code !== 0)

/** A bare `code` may also be that of HTTP, where 200 to 399 are fine. */
const isExit = (code: unknown): boolean =>
  isOtherThanZero(code) && !(Number(code) >= 200 && Number(code) < 400)

const says = (value: unknown, bad: (text: string) => boolean): boolean =>
  typeof value === 'string' && bad(value)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
