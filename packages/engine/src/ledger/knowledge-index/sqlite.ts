import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { failureOf } from '../sqlite/failures.ts'
import { numberOf, versionOf } from '../sqlite/migrations.ts'
import { openToRead } from '../sqlite/open-to-read.ts'
import { changed } from './changes.ts'
import type { KnowledgeIndex } from './port.ts'
import { KNOWLEDGE_VERSION, tables } from './schema.ts'
import { passagesAbout } from './search.ts'

/** Opens it in a SQLite file of its own. What is damaged or of another version is thrown away: it is made again from the notes. */
export function openKnowledgeIndex(file: string, { readOnly = false } = {}): Result<KnowledgeIndex> {
  try {
    return success(indexOf(file, readOnly ? openToRead(file) : openToWrite(file)))
  } catch (error) {
    return failureOf(error, file)
  }
}

function openToWrite(file: string): DatabaseSync {
  makeFolder(dirname(file))
  try {
    const db = new DatabaseSync(file, { timeout: 2_000 })
    if (isUsable(db)) return prepared(db)
    db.close()
  } catch (error) {
    if (failureOf(error, file).code !== 'corrupt') throw error
  }
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  return prepared(new DatabaseSync(file, { timeout: 2_000 }))
}

function isUsable(db: DatabaseSync): boolean {
  if (numberOf(db, 'SELECT count(*) FROM sqlite_schema') === 0) return true
  if (versionOf(db) !== KNOWLEDGE_VERSION) return false
  return db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok'
}

function prepared(db: DatabaseSync): DatabaseSync {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216`)
  if (versionOf(db) === 0) db.exec(`BEGIN; ${tables} PRAGMA user_version = ${KNOWLEDGE_VERSION}; COMMIT`)
  return db
}

function indexOf(file: string, db: DatabaseSync): KnowledgeIndex {
  const answer = <T>(work: () => T): Promise<Result<T>> => {
    try {
      return Promise.resolve(success(work()))
    } catch (error) {
      return Promise.resolve(failureOf(error, file))
    }
  }
  return {
    folders: () =>
      answer(() =>
        db
          .prepare('SELECT DISTINCT folder FROM files')
          .all()
          .map(({ folder }) => String(folder)),
      ),
    known: (folder) =>
      answer(() => {
        const rows = db.prepare('SELECT path, mark, hash FROM files WHERE folder = ?').all(folder)
        return new Map(
          rows.map(({ path, mark, hash }) => [String(path), { mark: String(mark), hash: String(hash) }]),
        )
      }),
    write: (changes) => answer(() => changed(db, changes)),
    search: (text, most) => answer(() => passagesAbout(db, text, most)),
    close: () => db.close(),
  }
}
