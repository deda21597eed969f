import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'

export interface Lock {
  readonly release: () => void
}

/**
 * One writer per ledger. The lock is SQLite's own on a file beside it, so that the system frees it when the process dies,
 * however it dies, and readers of the ledger itself are not held up.
 */
export function acquireLock(file: string): Lock {
  makeFolder(dirname(file))
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
