import { fieldsOf } from '../fields.ts'
import { parsed } from '../json.ts'

const FAILED = "Error executing tool '"

/** Something that may say so, anywhere in the text: most results have nothing of the kind, and are long. */
const SUSPECT =
  /"(?:success|ok)"\s*:\s*f|"(?:exit_code|returncode)"\s*:\s*(?!0\s*[,}])|"error"\s*:\s*(?!null|false|"")|\\u00/

/** Whether a tool did what it was asked for, by the signs that Hermes itself goes by. */
export function okOf(text: string): boolean {
  if (text.startsWith(FAILED)) return false
  if (!text.startsWith('{') || !SUSPECT.test(text)) return true
  const { success, ok, exit_code, returncode, error } = fieldsOf(parsed(text))
  if (success === false || ok === false) return false
  if (isFailure(exit_code) || isFailure(returncode)) return false
  return error === undefined || error === null || error === false || error === ''
}

const isFailure = (code: unknown): boolean => typeof code === 'number' && code !== 0
