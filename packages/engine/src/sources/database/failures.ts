import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { failureOf } from '../failures.ts'

const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO = 10
const CORRUPT = 11
const CANNOT_OPEN = 14
const PROTOCOL = 15
const SCHEMA = 17
const NO_DATABASE = 26
const PASSING: readonly number[] = [READ_ONLY, IO, CANNOT_OPEN, PROTOCOL, SCHEMA]

/** SQLite's own code of an error, without its details. */
const codeOf = (error: unknown): number | undefined => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Another program is writing: it will be done soon. */
export const isLock = (error: unknown): boolean => [BUSY, LOCKED].includes(codeOf(error) ?? -1)

/** What a checkpoint or a move of the file may cause for a moment. */
export const isPassing = (error: unknown): boolean => PASSING.includes(codeOf(error) ?? -1)

/** What SQLite says of a database of another program, the owner, with the way out. */
export function databaseFailureOf(error: unknown, path: string, owner: string): Failure {
  const code = codeOf(error)
  if (code === undefined) return failureOf(error, path)
  if (code === BUSY || code === LOCKED)
    return failure('busy', `${path} is locked by another program. Try again.`)
  if (code === CORRUPT || code === NO_DATABASE)
    return failure('corrupt', `${path} is damaged, or no database. ${owner} may be able to mend it.`)
  if (code === READ_ONLY)
    return failure('locked', `${path} was left in the middle of a write. Start ${owner} once to mend it.`)
  return failureOf(error, path)
}
