import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { failureOf } from '../sqlite/failures.ts'
import { numberOf, versionOf } from '../sqlite/migrations.ts'
import { openToRead } from '../sqlite/open-to-read.ts'
import { aging, hidden, keepAged } from './aged.ts'
import { batchesOf } from './batches.ts'
import { aboutSessions, emptyLog, scrub } from './forget.ts'
import type { IndexOptions, SessionIndex } from './port.ts'
import { agentsOf, got, listed } from './queries.ts'
import { recalledIn } from './recall.ts'
import { repriced } from './reprice.ts'
import { INDEX_VERSION, tables } from './schema.ts'
import { searched } from './search.ts'
import { statsOf } from './stats.ts'
import { worksOf } from './works.ts'

/** Opens the index in a SQLite file of its own. It can always be read again from the sources, so another version is thrown away. */
export function openSqliteIndex(
  file: string,
  { readOnly = false, messagesAPart }: IndexOptions = {},
): Result<SessionIndex> {
  try {
    return success(indexOf(file, readOnly ? openToRead(file) : openToWrite(file), messagesAPart))
  } catch (error) {
    return failureOf(error, file)
  }
}

function openToWrite(file: string): DatabaseSync {
  makeFolder(dirname(file))
  let db = new DatabaseSync(file, { timeout: 2_000 })
  if (versionOf(db) !== INDEX_VERSION && numberOf(db, 'SELECT count(*) FROM sqlite_schema') > 0) {
    db.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    db = new DatabaseSync(file, { timeout: 2_000 })
  }
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;
    PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY`)
  if (versionOf(db) === 0) db.exec(`BEGIN; ${tables} PRAGMA user_version = ${INDEX_VERSION}; COMMIT`)
  return db
}

function indexOf(file: string, db: DatabaseSync, messagesAPart: number | undefined): SessionIndex {
  const answer = <T>(work: () => T): Promise<Result<T>> => {
    try {
      return Promise.resolve(success(work()))
    } catch (error) {
      return Promise.resolve(failureOf(error, file))
    }
  }
  const { batch, commit } = batchesOf(db, answer, messagesAPart)
  return {
    known: (source) =>
      answer(() => {
        const known = db.prepare(
          `SELECT id, fingerprint FROM sessions WHERE source = ?1 AND fingerprint IS NOT NULL
           UNION ALL SELECT id, fingerprint FROM aged WHERE source = ?1`,
        )
        known.setReturnArrays(true)
        return new Map(known.all(source) as unknown as [id: string, fingerprint: string][])
      }),
    write: async (list) => {
      const own = batch()
      const added = await own.add(list)
      return added.ok ? own.end() : added
    },
    batch,
    list: (query) => answer(() => listed(db, query)),
    get: (source, id) => answer(() => got(db, source, id)),
    works: (query) => answer(() => worksOf(db, query)),
    stats: (filter, by) => answer(() => statsOf(db, filter, by)),
    agents: (source, id) => answer(() => agentsOf(db, source, id)),
    search: (query) => answer(() => searched(db, query)),
    recall: (query) => answer(() => recalledIn(db, query)),
    repriced: async (markOf) => {
      const before = await commit()
      return before.ok ? answer(() => repriced(db, markOf)) : before
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
        return failureOf(error, file)
      }
    },
    close: async () => {
      await commit()
      db.close()
    },
  }
}
