import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { toFailure } from '../failures.ts'

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

/** Returns SQLite's primary error code, without the extended part. */
const sqliteCode = (error: unknown): number | undefined => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** True when another program is writing, which ends soon. */
export const isLock = (error: unknown): boolean => [BUSY, LOCKED].includes(sqliteCode(error) ?? -1)

/** True for errors that a checkpoint or a move of the file may cause for a moment. */
export const isPassing = (error: unknown): boolean => PASSING.includes(sqliteCode(error) ?? -1)

/** Explains an SQLite error in the database of another program, the owner, with advice. */
export function toDatabaseFailure(error: unknown, path: string, owner: string): Failure {
  const code = sqliteCode(error)
  if (code === undefined) return toFailure(error, path)
  if (code === BUSY || code === LOCKED)
    return failure('busy', `${path} is locked by another program. Try again.`)
  if (code === CORRUPT || code === NO_DATABASE)
    return failure('corrupt', `${path} is damaged or not a database. ${owner} may be able to repair it.`)
  if (code === READ_ONLY)
    return failure('locked', `${path} was interrupted during a write. Start ${owner} once to repair it.`)
  return toFailure(error, path)
}
