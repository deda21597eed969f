import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refused } from '@panoptes/engine/threads'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { makeFolder } from './make-folder.ts'

/** Files that a writer may have made beside the one it was given. */
const BESIDE = ['', '-journal', '-wal', '-shm']

/**
 * Writes a file under another name and gives it its own at the end, so that it appears whole or not at all. It takes the place of
 * another only with `replace`.
 */
export async function asNewFile<T>(
  target: string,
  replace: boolean,
  failureOf: (error: unknown, what: string) => Failure,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const there = lstatSync(target, { throwIfNoEntry: false })
  if (there && !replace) throw taken(`${target} exists already`)
  if (there && !there.isFile()) throw taken(`${target} is not a regular file and cannot be replaced`)
  const partial = `${target}.${process.pid}.partial`
  try {
    makeFolder(dirname(target))
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (error) {
    throw refusalOf(error, target, failureOf)
  }
  try {
    const written = await write(partial)
    renameSync(partial, target)
    return written
  } catch (error) {
    throw refusalOf(error, target, failureOf)
  } finally {
    for (const end of BESIDE) rmSync(`${partial}${end}`, { force: true })
  }
}

const taken = (what: string): Refused =>
  new Refused(failure('invalid', `${what}. Choose another name, or move it away first.`))

export const stoppedBefore = (target: string): Refused =>
  new Refused(failure('stopped', `Stopped; ${target} was not written.`))

/** What fails is nearly always the copy; a damaged page can only be the ledger's own. */
function refusalOf(
  error: unknown,
  target: string,
  failureOf: (error: unknown, what: string) => Failure,
): unknown {
  if (error instanceof Refused) return error
  const told = failureOf(error, target)
  if (told.code === 'corrupt') return error
  if (told.code === 'disk_full') return new Refused(told)
  const why = error instanceof Error ? error.message : String(error)
  return new Refused(
    failure(told.code, `${target} could not be written: ${why}. Choose another place for the copy.`),
  )
}
