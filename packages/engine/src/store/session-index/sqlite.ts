import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { ARCHIVE, ARCHIVE_VERSION, archiveTables, createSqliteArchive } from '../session-archive/sqlite.ts'
import { toFailure } from '../sqlite/failures.ts'
import { readNumber, readVersion } from '../sqlite/migrations.ts'
import { openToRead } from '../sqlite/open-read-only.ts'
import { createBatches } from './batches.ts'
import { forgetFolds, readFoldDocs, readFolded, refolded } from './fold-rows.ts'
import { aboutSessions, emptyLog, scrub } from './forget.ts'
import type { IndexOptions, SessionIndex } from './port.ts'
import { got, listed, readAgents } from './queries.ts'
import { recalledIn } from './recall.ts'
import { aging, hidden, keepAged } from './retention.ts'
import { INDEX_VERSION, tables } from './schema.ts'
import { searched } from './search.ts'
import { readWorks } from './session-work.ts'
import { readStats } from './stats.ts'

/**
 * Opens the index and the archive in a SQLite file of their own. The index can always be read again, so tables
 * of another version are deleted. The archive stays.
 */
export function openSqliteIndex(
  file: string,
  { readOnly = false, messagesAPart }: IndexOptions = {},
): Result<SessionIndex> {
  try {
    return success(
      createIndex(file, { db: readOnly ? openToRead(file) : openToWrite(file), readOnly, messagesAPart }),
    )
  } catch (error) {
    return toFailure(error, file)
  }
}

function openToWrite(file: string): DatabaseSync {
  makeFolder(dirname(file))
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;
      PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY`)
    checkArchiveVersion(db, file)
    if (readVersion(db) === INDEX_VERSION) return db
    db.exec('BEGIN IMMEDIATE')
    const isFormer = dropIndex(db)
    const hasArchive = hasTable(db, 'archive_version')
    db.exec(`${hasArchive ? '' : archiveTables} ${tables} PRAGMA user_version = ${INDEX_VERSION}; COMMIT`)
    // Pages keep traces of deleted tables, which older rules may have left secrets in.
    if (isFormer) db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined

/** Refuses an archive of a newer program, which cannot be read again if this one damages it. */
function checkArchiveVersion(db: DatabaseSync, file: string): void {
  if (!hasTable(db, 'archive_version')) return
  const version = readNumber(db, 'SELECT version FROM archive_version')
  if (version > ARCHIVE_VERSION)
    throw new Refused(
      failure(
        'newer_version',
        `${file} was written by a newer Panoptes (archive version ${version}, this program knows ${ARCHIVE_VERSION}). Install the newer version again.`,
      ),
    )
}

/**
 * Deletes the tables of another version of the index, and returns whether there were any. Virtual tables come
 * first, because they own others.
 */
function dropIndex(db: DatabaseSync): boolean {
  let count = 0
  const isVirtual = `sql LIKE 'CREATE VIRTUAL%'`
  for (const which of [isVirtual, `NOT ${isVirtual}`]) {
    const names = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND ${which} AND name NOT GLOB '${ARCHIVE}*' AND name NOT GLOB 'sqlite_*'`,
      )
      .all()
    for (const { name } of names) db.exec(`DROP TABLE "${String(name)}"`)
    count += names.length
  }
  return count > 0
}

interface OpenedFile extends IndexOptions {
  readonly db: DatabaseSync
}

function createIndex(file: string, { db, readOnly, messagesAPart }: OpenedFile): SessionIndex {
  const answer = <T>(work: () => T): Promise<Result<T>> => {
    try {
      return Promise.resolve(success(work()))
    } catch (error) {
      return Promise.resolve(toFailure(error, file))
    }
  }
  const { batch, commit } = createBatches(db, answer, messagesAPart)
  return {
    archive: createSqliteArchive(db, answer),
    fingerprints: (source) =>
      answer(() => {
        const statement = db.prepare(
          `SELECT id, fingerprint FROM sessions WHERE source = ?1 AND fingerprint IS NOT NULL
           UNION ALL SELECT id, fingerprint FROM aged WHERE source = ?1`,
        )
        statement.setReturnArrays(true)
        return new Map(statement.all(source) as unknown as [id: string, fingerprint: string][])
      }),
    write: async (list) => {
      const own = batch()
      const added = await own.add(list)
      return added.ok ? own.end() : added
    },
    batch,
    list: (query) => answer(() => listed(db, query)),
    get: (source, id) => answer(() => got(db, source, id)),
    works: (query) => answer(() => readWorks(db, query)),
    stats: (filter, by) => answer(() => readStats(db, filter, by)),
    agents: (source, id) => answer(() => readAgents(db, source, id)),
    search: (query) => answer(() => searched(db, query)),
    recall: (query) => answer(() => recalledIn(db, query)),
    folded: (fold, source) => answer(() => readFolded(db, fold, source)),
    foldDocs: (fold, source, ids) => answer(() => readFoldDocs(db, fold, source, ids)),
    repriced: async (priceMark) => {
      const before = await commit()
      return before.ok ? answer(() => repriced(db, priceMark)) : before
    },
    refolded: async (rules) => {
      const before = await commit()
      return before.ok ? answer(() => refolded(db, rules)) : before
    },
    retain: async (before) => {
      const old = await answer(() => aging(db, before))
      if (!old.ok) return old
      if (old.value.length === 0) return success(0)
      const own = batch()
      const dropped = await own.add(old.value.map(({ source, id }) => ({ type: 'drop', source, id })))
      const written = dropped.ok ? await own.end() : dropped
      return written.ok ? answer(() => keepAged(db, old.value)) : written
    },
    hidden: () => answer(() => hidden(db)),
    forget: async (sessions) => {
      const drops = sessions.map(({ source, id }) => ({ type: 'drop' as const, source, id }))
      const before = await commit()
      if (!before.ok) return before
      const about = await answer(() => aboutSessions(db, sessions))
      if (!about.ok) return about
      const own = batch()
      const dropped = await own.add(drops)
      const written = dropped.ok ? await own.end() : dropped
      if (!written.ok) return written
      try {
        forgetFolds(db, sessions)
        scrub(db)
        await emptyLog(db)
        return success(about.value)
      } catch (error) {
        return toFailure(error, file)
      }
    },
    close: async () => {
      await commit()
      // A reader that closes last cannot empty the log, and the next one to open the file would read all of it.
      if (!readOnly) await answer(() => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
      db.close()
    },
  }
}

/**
 * Removes the fingerprint of sessions that were read with another price: they stay visible and are read
 * again.
 */
function repriced(db: DatabaseSync, priceMark: (model: string) => string): number {
  const storedMarks = new Map(
    db
      .prepare('SELECT model, mark FROM prices')
      .all()
      .map((row) => [String(row.model), String(row.mark)]),
  )
  const keep = db.prepare('INSERT OR REPLACE INTO prices VALUES (?, ?)')
  const again = db.prepare(
    `UPDATE sessions SET fingerprint = '' WHERE fingerprint <> '' AND number IN (SELECT session FROM models WHERE model = ?)`,
  )
  let count = 0
  for (const row of db.prepare('SELECT DISTINCT model FROM models').all()) {
    const model = String(row.model)
    const mark = priceMark(model)
    if (storedMarks.get(model) === mark) continue
    if (storedMarks.has(model)) count += Number(again.run(model).changes)
    keep.run(model, mark)
  }
  return count
}
