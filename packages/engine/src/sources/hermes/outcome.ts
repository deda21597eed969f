import { fieldsOf } from '../fields.ts'
import { parsed } from './json.ts'

const FAILED = "Error executing tool '"

/** Whether a tool did what it was asked for, by the signs that Hermes itself goes by. */
export function okOf(text: string): boolean {
  if (text.startsWith(FAILED)) return false
  if (!text.startsWith('{')) return true
  const { success, ok, exit_code, returncode, error } = fieldsOf(parsed(text))
  if (success === false || ok === false) return false
  if (isFailure(exit_code) || isFailure(returncode)) return false
  return error === undefined || error === null || error === false || error === ''
}

const isFailure = (code: unknown): boolean => typeof code === 'number' && code !== 0
