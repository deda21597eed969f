import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { toFailure } from './failures.ts'
import { refuseOther } from './open-file.ts'

export interface Lock {
  readonly release: () => void
}

/**
 * Ensures that a store has one writer. The lock is SQLite's own on a file beside the store, so that the
 * system releases it however the process dies, and readers of the store are not blocked.
 */
export function acquireLock(file: string): Lock {
  makeFolder(dirname(file))
  refuseOther(`${file}.lock`, 'Delete it; Panoptes creates a new one.')
  const db = new DatabaseSync(`${file}.lock`, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (((error as { errcode?: number }).errcode ?? 0) !== 5) throw error
    throw new Refused(
      failure(
        'locked',
        `${file} is in use by another Panoptes process. Use that one ("panoptes status"), or stop it ("panoptes stop") and try again.`,
      ),
    )
  }
  return { release: () => db.close() }
}

/**
 * Holds the writer's lock without creating a store, for callers that need the home folder to themselves and
 * write nothing there.
 */
export function lockStore(file: string): Result<Lock> {
  try {
    return success(acquireLock(file))
  } catch (error) {
    return toFailure(error, file)
  }
}
