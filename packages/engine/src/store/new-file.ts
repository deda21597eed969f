import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { makeFolder } from './make-folder.ts'

/** Suffixes of the files that SQLite may have created beside the file it was given. */
const BESIDE = ['', '-journal', '-wal', '-shm']

/**
 * Writes a file under a temporary name and renames it at the end, so that it appears complete or not at all.
 * It replaces an existing file only with `replace`.
 */
export async function writeNewFile<T>(
  target: string,
  replace: boolean,
  toFailure: (error: unknown, what: string) => Failure,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const there = lstatSync(target, { throwIfNoEntry: false })
  if (there && !replace) throw takenFailure(`${target} exists already`)
  if (there && !there.isFile()) throw takenFailure(`${target} is not a regular file and cannot be replaced`)
  const partial = `${target}.${process.pid}.partial`
  try {
    makeFolder(dirname(target))
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (error) {
    throw toRefusal(error, target, toFailure)
  }
  try {
    const written = await write(partial)
    renameSync(partial, target)
    return written
  } catch (error) {
    throw toRefusal(error, target, toFailure)
  } finally {
    for (const end of BESIDE) rmSync(`${partial}${end}`, { force: true })
  }
}

const takenFailure = (what: string): Refused =>
  new Refused(failure('invalid', `${what}. Choose another name, or move it away first.`))

export const stoppedFailure = (target: string): Refused =>
  new Refused(failure('stopped', `Stopped; ${target} was not written.`))

/** Almost every failure concerns the copy; only a damaged page can be the store's own. */
function toRefusal(
  error: unknown,
  target: string,
  toFailure: (error: unknown, what: string) => Failure,
): unknown {
  if (error instanceof Refused) return error
  const reason = toFailure(error, target)
  if (reason.code === 'corrupt') return error
  if (reason.code === 'disk_full') return new Refused(reason)
  const why = error instanceof Error ? error.message : String(error)
  return new Refused(
    failure(reason.code, `${target} could not be written: ${why}. Choose another place for the copy.`),
  )
}
