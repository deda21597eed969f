import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import {
  APPLICATION_ID,
  migrate,
  readApplicationId,
  readNumber,
  readVersion,
  SCHEMA_VERSION,
} from './migrations.ts'

const READER_CACHE_KIB = 8_192

/**
 * Settings of the writer's connection, which the benchmark's bare table shares. The keeper moves the
 * write-ahead log into the file long before it has enough pages for the writer to do it.
 */
export const writerSettings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -16384;
  PRAGMA wal_autocheckpoint = 64000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
`

/**
 * Opens the store for its one writer: creates it, upgrades an older one, and refuses files that Panoptes may
 * not change.
 */
export function openForWriting(file: string): DatabaseSync {
  refuseOther(file)
  const isNew = !existsSync(file)
  // SQLite silently opens a file read-only when it may not write to it.
  if (!isNew) accessSync(file, constants.W_OK)
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    refuseForeign(db, file)
    if (isNew || readNumber(db, 'PRAGMA page_count') === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec(writerSettings)
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function openForReading(file: string): DatabaseSync {
  refuseOther(file)
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  db.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}`)
  db.exec('PRAGMA temp_store = MEMORY')
  return db
}

export function openForKeeping(file: string): DatabaseSync {
  // SQLite would create a new file if the store was removed.
  accessSync(file, constants.R_OK)
  const db = new DatabaseSync(file, { timeout: 2_000 })
  db.exec('PRAGMA cache_size = -2048')
  return db
}

/** Opening a pipe for reading would block forever. */
export function refuseOther(
  file: string,
  next = 'Move it away, then restore a backup or start fresh.',
): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw new Refused(failure('io', `${file} is not a regular file. ${next}`))
}

function refuseForeign(db: DatabaseSync, file: string): void {
  const version = readVersion(db)
  const tables = readNumber(db, 'SELECT count(*) FROM sqlite_schema')
  if (tables > 0 && readApplicationId(db) !== APPLICATION_ID)
    throw new Refused(
      failure(
        'corrupt',
        `${file} is a database of another program. Move it away, or set PANOPTES_HOME to another folder.`,
      ),
    )
  if (version > SCHEMA_VERSION)
    throw new Refused(
      failure(
        'newer_version',
        `${file} was written by a newer Panoptes: it has version ${version}, and this one supports up to ${SCHEMA_VERSION}. Nothing was changed. Update Panoptes, or use another PANOPTES_HOME.`,
      ),
    )
}
