import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import type { WeighedWord } from '../session-index/port.ts'
import { indexText, significantWords } from '../session-index/query-parser.ts'
import { createScorer } from '../session-index/score.ts'
import { toFailure } from '../sqlite/failures.ts'
import { readNumber, readVersion } from '../sqlite/migrations.ts'
import { openToRead } from '../sqlite/open-read-only.ts'
import { inTransaction } from '../sqlite/statements.ts'
import type { FoundPassage, FoundPassages, KnowledgeChange, KnowledgeIndex } from './port.ts'

/**
 * Opens the index in a SQLite file of its own. A damaged file or one of another version is deleted, because
 * the index can be rebuilt from the notes.
 */
export function openKnowledgeIndex(file: string, { readOnly = false } = {}): Result<KnowledgeIndex> {
  try {
    return success(createIndex(file, readOnly ? openToRead(file) : openToWrite(file)))
  } catch (error) {
    return toFailure(error, file)
  }
}

function openToWrite(file: string): DatabaseSync {
  makeFolder(dirname(file))
  try {
    const db = new DatabaseSync(file, { timeout: 2_000 })
    if (isUsable(db)) return prepareDatabase(db)
    db.close()
  } catch (error) {
    if (toFailure(error, file).code !== 'corrupt') throw error
  }
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  return prepareDatabase(new DatabaseSync(file, { timeout: 2_000 }))
}

function isUsable(db: DatabaseSync): boolean {
  if (readNumber(db, 'SELECT count(*) FROM sqlite_schema') === 0) return true
  if (readVersion(db) !== KNOWLEDGE_VERSION) return false
  return db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok'
}

function prepareDatabase(db: DatabaseSync): DatabaseSync {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216`)
  if (readVersion(db) === 0) db.exec(`BEGIN; ${tables} PRAGMA user_version = ${KNOWLEDGE_VERSION}; COMMIT`)
  return db
}

function createIndex(file: string, db: DatabaseSync): KnowledgeIndex {
  const answer = <T>(work: () => T): Promise<Result<T>> => {
    try {
      return Promise.resolve(success(work()))
    } catch (error) {
      return Promise.resolve(toFailure(error, file))
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
    fileMarks: (folder) =>
      answer(() => {
        const rows = db.prepare('SELECT path, mark, hash FROM files WHERE folder = ?').all(folder)
        return new Map(
          rows.map(({ path, mark, hash }) => [String(path), { mark: String(mark), hash: String(hash) }]),
        )
      }),
    write: (changes) => answer(() => applyChanges(db, changes)),
    search: (text, most) => answer(() => passagesAbout(db, text, most)),
    close: () => db.close(),
  }
}

/**
 * Raise this when the tables or their contents change: an index of another version is deleted and rebuilt.
 */
const KNOWLEDGE_VERSION = 2

const tables = `
  CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    mark TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (folder, path)
  );
  CREATE TABLE passages (number INTEGER PRIMARY KEY, file INTEGER NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX passages_file ON passages (file);
  CREATE VIRTUAL TABLE words USING fts5 (text, headings, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2");
`

type File = Extract<KnowledgeChange, { readonly type: 'file' }>

function applyChanges(db: DatabaseSync, changes: readonly KnowledgeChange[]): null {
  const writer = createWriter(db)
  return inTransaction(db, () => {
    for (const change of changes) writer(change)
    return null
  })
}

function createWriter(db: DatabaseSync): (change: KnowledgeChange) => void {
  const selectNumber = db.prepare('SELECT number FROM files WHERE folder = ? AND path = ?')
  const ofFolder = db.prepare('SELECT number FROM files WHERE folder = ?')
  const addFile = db.prepare('INSERT INTO files (folder, path, mark, hash) VALUES (?, ?, ?, ?)')
  const addPassage = db.prepare('INSERT INTO passages (file, headings, text) VALUES (?, ?, ?)')
  const addWords = db.prepare('INSERT INTO words (rowid, text, headings) VALUES (?, ?, ?)')
  const dropWords = db.prepare(
    'DELETE FROM words WHERE rowid IN (SELECT number FROM passages WHERE file = ?)',
  )
  const dropPassages = db.prepare('DELETE FROM passages WHERE file = ?')
  const dropFile = db.prepare('DELETE FROM files WHERE number = ?')
  const mark = db.prepare('UPDATE files SET mark = ? WHERE folder = ? AND path = ?')

  const drop = (row: Record<string, unknown> | undefined) => {
    if (row === undefined) return
    const number = Number(row.number)
    for (const statement of [dropWords, dropPassages, dropFile]) statement.run(number)
  }
  const add = ({ folder, path, mark, hash, passages }: File) => {
    drop(selectNumber.get(folder, path))
    const file = addFile.run(folder, path, mark, hash).lastInsertRowid
    for (const { headings, text } of passages) {
      const number = addPassage.run(file, JSON.stringify(headings), text).lastInsertRowid
      addWords.run(number, indexText(text), indexText([path, ...headings].join('\n')))
    }
  }
  return (change) => {
    if (change.type === 'file') add(change)
    else if (change.type === 'mark') mark.run(change.mark, change.folder, change.path)
    else if (change.type === 'drop') drop(selectNumber.get(change.folder, change.path))
    else for (const row of ofFolder.all(change.folder)) drop(row)
  }
}

/**
 * Passages with the rarest words are ranked until there are this many, so that words that occur everywhere
 * are not needed.
 */
const ENOUGH = 600
/** Occurrences of a word are counted only up to this number. */
const COMMON = 700
/** This many of the best candidates are scored with all words. */
const MOST_LOOKED = 48
/** When the rarest words match fewer passages than this, the search adds this many further words. */
const FEW = 16
const MOST_MORE = 2

const NOTHING: FoundPassages = { passages: [], total: 0 }

/** Finds passages about a text by BM25. A passage need not contain all of its words. */
function passagesAbout(db: DatabaseSync, text: string, most: number): FoundPassages {
  const { count, all, best, passage } = prepareStatements(db)
  const total = Math.max(1, Number(all.get()?.n))
  const counted = significantWords(text)
    .map((word) => ({ word, count: Number(count.get(quoteWord(word), COMMON)?.n) }))
    .filter((each) => each.count > 0)
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  if (counted.length === 0) return NOTHING
  const looked = candidates(counted, (match) =>
    best.all(match, COMMON, MOST_LOOKED).map(({ number }) => Number(number)),
  )
  const weighed: WeighedWord[] = counted.map(({ word, count }) => ({
    word,
    weight: Math.log(1 + (total + 0.5) / (count + 0.5)),
  }))
  const scorePassage = createScorer(weighed)
  const ranked = looked
    .flatMap((number) => {
      const row = passage.get(number) as unknown as Row | undefined
      if (row === undefined) return []
      const found: FoundPassage = { ...row, headings: JSON.parse(row.headings) as string[] }
      // The headings above a passage count as much as its own words.
      const { score, isAbout } = scorePassage(
        [found.path, ...found.headings, found.text].join('\n').normalize('NFC'),
      )
      return isAbout ? [{ found, score, number }] : []
    })
    .sort((a, b) => b.score - a.score || a.number - b.number)
  return { passages: ranked.slice(0, most).map(({ found }) => found), total: ranked.length }
}

interface Counted {
  readonly word: string
  readonly count: number
}

/** Finds passages with the rarest words, and adds the next rarest when these are few. */
function candidates(
  words: readonly Counted[],
  find: (match: string) => readonly number[],
): readonly number[] {
  let sum = 0
  const rare = words.filter(({ count }, n) => {
    sum += count
    return n === 0 || sum <= ENOUGH
  })
  const found = new Set(find(rare.map(({ word }) => quoteWord(word)).join(' OR ')))
  for (const { word } of words.slice(rare.length, rare.length + MOST_MORE)) {
    if (found.size >= FEW) break
    for (const number of find(quoteWord(word))) found.add(number)
  }
  return [...found]
}

interface Row {
  readonly folder: string
  readonly path: string
  readonly headings: string
  readonly text: string
}

/** Text without spaces is indexed in pairs, so a single character is searched as the beginning of a pair. */
const quoteWord = (word: string): string => `"${word}"${word.length === 1 ? ' *' : ''}`

interface Statements {
  readonly count: StatementSync
  readonly all: StatementSync
  readonly best: StatementSync
  readonly passage: StatementSync
}

const statementCache = new WeakMap<DatabaseSync, Statements>()

function prepareStatements(db: DatabaseSync): Statements {
  const statements = statementCache.get(db) ?? {
    count: db.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)'),
    all: db.prepare('SELECT max(number) AS n FROM passages'),
    best: db.prepare(
      `SELECT number FROM (SELECT rowid AS number, bm25(words, 1.0, 2.0) AS score FROM words WHERE words MATCH ? LIMIT ?)
       ORDER BY score, number LIMIT ?`,
    ),
    passage: db.prepare(
      'SELECT f.folder, f.path, p.headings, p.text FROM passages AS p JOIN files AS f ON f.number = p.file WHERE p.number = ?',
    ),
  }
  statementCache.set(db, statements)
  return statements
}
