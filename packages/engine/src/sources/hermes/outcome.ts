import { toFields } from '../fields.ts'
import { parsed } from '../json.ts'

const FAILED = "Error executing tool '"

/**
 * A quick check for a possible sign of failure anywhere in the text, because most results are long and have
 * none.
 */
const SUSPECT =
  /"(?:success|ok)"\s*:\s*f|"(?:exit_code|returncode)"\s*:\s*(?!0\s*[,}])|"error"\s*:\s*(?!null|false|"")|"status"\s*:\s*"interrupted"|\\u00/

/** The statuses that Hermes writes for denied and cancelled calls. */
const NOT_RUN: ReadonlySet<unknown> = new Set([
  'blocked',
  'denied',
  'cancelled',
  'canceled',
  'approval_required',
  'pending_approval',
])
const INTERRUPTED = '[Command interrupted'
const INTERRUPTED_CODE = 130

/**
 * Returns whether a tool succeeded, by the same signs that Hermes uses. A denied or interrupted call is
 * neither a success nor a failure and gives null.
 */
export function hermesToolSucceeded(text: string): boolean | null {
  if (text.startsWith(FAILED)) return false
  if (!text.startsWith('{') || !SUSPECT.test(text)) return true
  const result = toFields(parsed(text))
  if (result.status === 'interrupted') return null
  if (!saysFailed(result)) return true
  return NOT_RUN.has(result.status) || wasInterrupted(result) ? null : false
}

type Result = Readonly<Record<string, unknown>>

function saysFailed({ success, ok, exit_code, returncode, error }: Result): boolean {
  return success === false || ok === false || isFailure(exit_code) || isFailure(returncode) || isError(error)
}

const isFailure = (code: unknown): boolean => typeof code === 'number' && code !== 0

/** Hermes treats every empty value as no error. */
function isError(error: unknown): boolean {
  if (typeof error === 'object' && error !== null) return Object.keys(error).length > 0
  return Boolean(error)
}

/** The last line of an interrupted command says so. */
const wasInterrupted = ({ exit_code, output }: Result): boolean =>
  exit_code === INTERRUPTED_CODE &&
  typeof output === 'string' &&
  output.slice(output.trimEnd().lastIndexOf('\n') + 1).startsWith(INTERRUPTED)
