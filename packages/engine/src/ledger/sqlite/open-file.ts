import { accessSync, constants, existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'
import { APPLICATION_ID, applicationOf, migrate, numberOf, SCHEMA_VERSION, versionOf } from './migrations.ts'

const READER_CACHE_KIB = 8_192

/**
 * How the writer's connection is set up; the benchmark's bare table is set up the same. The keeper moves the log into the
 * file long before it has so many pages that the writer would do it.
 */
export const writerSettings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -16384;
  PRAGMA wal_autocheckpoint = 64000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
`

/** Opens the ledger for its one writer: creates it, brings an older one up to date, refuses what is not ours to change. */
export function openForWriting(file: string): DatabaseSync {
  const isNew = !existsSync(file)
  // SQLite opens a file it may not write read-only, without a word.
  if (!isNew) accessSync(file, constants.W_OK)
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    refuseForeign(db, file)
    if (isNew || numberOf(db, 'PRAGMA page_count') === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec(writerSettings)
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function openForReading(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  db.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}`)
  db.exec('PRAGMA temp_store = MEMORY')
  return db
}

export function openForKeeping(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 2_000 })
  db.exec('PRAGMA cache_size = -2048')
  return db
}

function refuseForeign(db: DatabaseSync, file: string): void {
  const version = versionOf(db)
  const tables = numberOf(db, 'SELECT count(*) FROM sqlite_schema')
  if (tables > 0 && applicationOf(db) !== APPLICATION_ID)
    throw new Refused(
      failure(
        'corrupt',
        `${file} is a database of another program. Move it aside or set PANOPTES_HOME elsewhere.`,
      ),
    )
  if (version > SCHEMA_VERSION)
    throw new Refused(
      failure(
        'newer_version',
        `${file} was written by a newer Panoptes: it has version ${version}, this program knows up to ${SCHEMA_VERSION}. Update Panoptes, or use another PANOPTES_HOME; nothing was changed.`,
      ),
    )
}
