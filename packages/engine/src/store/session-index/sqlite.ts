import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { toFailure } from '../sqlite/failures.ts'
import { readNumber, readVersion } from '../sqlite/migrations.ts'
import { openToRead } from '../sqlite/open-read-only.ts'
import { createBatches } from './batches.ts'
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
 * Opens the index in a SQLite file of its own. It can always be read again from the sources, so another
 * version is deleted.
 */
export function openSqliteIndex(
  file: string,
  { readOnly = false, messagesAPart }: IndexOptions = {},
): Result<SessionIndex> {
  try {
    return success(indexOf(file, readOnly ? openToRead(file) : openToWrite(file), messagesAPart))
  } catch (error) {
    return toFailure(error, file)
  }
}

function openToWrite(file: string): DatabaseSync {
  makeFolder(dirname(file))
  let db = new DatabaseSync(file, { timeout: 2_000 })
  if (readVersion(db) !== INDEX_VERSION && readNumber(db, 'SELECT count(*) FROM sqlite_schema') > 0) {
    db.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    db = new DatabaseSync(file, { timeout: 2_000 })
  }
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;
    PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY`)
  if (readVersion(db) === 0) db.exec(`BEGIN; ${tables} PRAGMA user_version = ${INDEX_VERSION}; COMMIT`)
  return db
}

function indexOf(file: string, db: DatabaseSync, messagesAPart: number | undefined): SessionIndex {
  const answer = <T>(work: () => T): Promise<Result<T>> => {
    try {
      return Promise.resolve(success(work()))
    } catch (error) {
      return Promise.resolve(toFailure(error, file))
    }
  }
  const { batch, commit } = createBatches(db, answer, messagesAPart)
  return {
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
    repriced: async (priceMark) => {
      const before = await commit()
      return before.ok ? answer(() => repriced(db, priceMark)) : before
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
        scrub(db)
        await emptyLog(db)
        return success(about.value)
      } catch (error) {
        return toFailure(error, file)
      }
    },
    close: async () => {
      await commit()
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
