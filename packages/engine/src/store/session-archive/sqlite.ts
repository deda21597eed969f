import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { REDACTION_RULES } from '@panoptes/engine/redact'
import type { Result, Session, SessionAgent } from '@panoptes/schema'
import { decodeChunk } from './chunk-codec.ts'
import type { ArchiveChunk, ArchivedSession, ArchiveHead, ArchiveSize, SessionArchive } from './port.ts'

/**
 * Raise this with a migration when the tables change. Unlike the index, the archive cannot be read again:
 * the agents may have deleted what it keeps.
 */
export const ARCHIVE_VERSION = 1

/** Tables whose names begin like this stay when the index is built again. */
export const ARCHIVE = 'archive_'

/** `fingerprint` is null while a version of a session is written. */
export const archiveTables = `
  CREATE TABLE archive_version (version INTEGER NOT NULL);
  INSERT INTO archive_version VALUES (${ARCHIVE_VERSION});
  CREATE TABLE archive_sessions (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    own TEXT NOT NULL,
    fingerprint TEXT,
    kept INTEGER NOT NULL DEFAULT 1,
    rules INTEGER NOT NULL,
    gone_at INTEGER,
    doc TEXT
  );
  CREATE UNIQUE INDEX archive_sessions_complete ON archive_sessions (source, id) WHERE fingerprint IS NOT NULL;
  CREATE UNIQUE INDEX archive_sessions_begun ON archive_sessions (source, id) WHERE fingerprint IS NULL;
  CREATE TABLE archive_chunks (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    hash TEXT NOT NULL,
    data BLOB
  );
  CREATE UNIQUE INDEX archive_chunks_place ON archive_chunks (session, first);
  CREATE TABLE archive_images (hash TEXT PRIMARY KEY, data TEXT NOT NULL);
  CREATE TABLE archive_image_uses (
    hash TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    PRIMARY KEY (chunk, hash)
  ) WITHOUT ROWID;
  CREATE INDEX archive_image_uses_hash ON archive_image_uses (hash);
`

/** Writes sessions into the archive, inside the transaction of the index. */
export class ArchiveWriter {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  begin(source: string, id: string, place: string, own: string): void {
    this.#run(
      'INSERT INTO archive_sessions (source, id, place, own, rules) VALUES (?, ?, ?, ?, ?)',
      ...[source, id, place, own, REDACTION_RULES],
    )
  }

  add(source: string, id: string, { first, count, hash, data, images }: ArchiveChunk): void {
    const session = this.#number(source, id, 'IS NULL')
    const chunk = this.#run(
      'INSERT INTO archive_chunks (session, first, count, hash, data) VALUES (?, ?, ?, ?, ?)',
      ...[session, first, count, hash, data ?? null],
    )
    for (const image of images) {
      this.#run('INSERT OR IGNORE INTO archive_images VALUES (?, ?)', image.hash, image.data)
      this.#run('INSERT OR IGNORE INTO archive_image_uses VALUES (?, ?)', image.hash, chunk)
    }
  }

  /**
   * Replaces the previous version of a session. Chunks that did not change stay where they are, so that a
   * growing session costs what it grew by.
   */
  end(session: Session, agents: readonly SessionAgent[], kept: boolean): void {
    const { source, id, fingerprint } = session
    const begun = this.#number(source, id, 'IS NULL')
    if (begun === null) return
    const before = this.#number(source, id, 'IS NOT NULL') ?? begun
    if (!kept) this.#dropChunks(begun)
    const isWhole = before === begun ? this.#isWhole(begun) : this.#replaceChunks(before, begun)
    const { place, own } = this.#get('SELECT place, own FROM archive_sessions WHERE number = ?', begun) ?? {}
    if (before !== begun) this.#run('DELETE FROM archive_sessions WHERE number = ?', begun)
    this.#run(
      `UPDATE archive_sessions SET place = ?, own = ?, fingerprint = ?, kept = ?, doc = ?, rules = ?
         WHERE number = ?`,
      // A session that misses a chunk gets no valid fingerprint, so that it is read again.
      ...[String(place), String(own), isWhole ? fingerprint : '', Number(kept)],
      ...[JSON.stringify({ session, agents }), REDACTION_RULES, before],
    )
  }

  /** Checks that every chunk has its data. */
  #isWhole(session: number): boolean {
    const missing = this.#get('SELECT 1 FROM archive_chunks WHERE session = ? AND data IS NULL', session)
    this.#run('DELETE FROM archive_chunks WHERE session = ? AND data IS NULL', session)
    return missing === undefined
  }

  /** Moves the new chunks of a session to its number. Returns false if one that should be stored is not. */
  #replaceChunks(before: number, begun: number): boolean {
    const changed = `SELECT old.number FROM archive_chunks AS old WHERE old.session = ?1 AND NOT EXISTS (
      SELECT 1 FROM archive_chunks AS new
      WHERE new.session = ?2 AND new.first = old.first AND new.hash = old.hash AND new.data IS NULL)`
    this.#dropImages(changed, before, begun)
    this.#run(`DELETE FROM archive_chunks WHERE number IN (${changed})`, before, begun)
    this.#run(
      `DELETE FROM archive_chunks WHERE session = ?2 AND data IS NULL
         AND first IN (SELECT first FROM archive_chunks WHERE session = ?1)`,
      ...[before, begun],
    )
    const isWhole = this.#isWhole(begun)
    this.#run('UPDATE archive_chunks SET session = ? WHERE session = ?', before, begun)
    return isWhole
  }

  leave(source: string, id: string): void {
    this.#drop(this.#number(source, id, 'IS NULL'))
  }

  drop(source: string, id: string): void {
    this.#drop(this.#number(source, id, 'IS NOT NULL'))
  }

  /** Marks exactly these sessions of a source as gone. */
  markGone(source: string, ids: readonly string[], at: number): void {
    const gone = JSON.stringify(ids)
    const there = 'source = ? AND id NOT IN (SELECT value FROM json_each(?))'
    this.#run(
      `UPDATE archive_sessions SET gone_at = NULL WHERE gone_at IS NOT NULL AND ${there}`,
      source,
      gone,
    )
    this.#run(
      `UPDATE archive_sessions SET gone_at = ? WHERE gone_at IS NULL AND fingerprint IS NOT NULL AND source = ?
         AND id IN (SELECT value FROM json_each(?))`,
      ...[at, source, gone],
    )
  }

  #drop(session: number | null): void {
    if (session === null) return
    this.#dropChunks(session)
    this.#run('DELETE FROM archive_sessions WHERE number = ?', session)
  }

  #dropChunks(session: number): void {
    this.#dropImages('SELECT number FROM archive_chunks WHERE session = ?', session)
    this.#run('DELETE FROM archive_chunks WHERE session = ?', session)
  }

  /** Deletes the uses of images by these chunks, and the images that no other chunk uses. */
  #dropImages(chunks: string, ...values: number[]): void {
    const used = this.#prepare(`SELECT DISTINCT hash FROM archive_image_uses WHERE chunk IN (${chunks})`)
      .all(...values)
      .map(({ hash }) => String(hash))
    if (used.length === 0) return
    this.#run(`DELETE FROM archive_image_uses WHERE chunk IN (${chunks})`, ...values)
    this.#run(
      `DELETE FROM archive_images WHERE hash IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM archive_image_uses AS u WHERE u.hash = archive_images.hash)`,
      JSON.stringify(used),
    )
  }

  #number(source: string, id: string, state: 'IS NULL' | 'IS NOT NULL'): number | null {
    const row = this.#get(
      `SELECT number FROM archive_sessions WHERE source = ? AND id = ? AND fingerprint ${state}`,
      ...[source, id],
    )
    return row === undefined ? null : Number(row.number)
  }

  #get(sql: string, ...values: Value[]): Record<string, unknown> | undefined {
    return this.#prepare(sql).get(...values)
  }

  #run(sql: string, ...values: Value[]): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid)
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

type Value = string | number | null | Uint8Array

type Answer = <T>(work: () => T) => Promise<Result<T>>

/** Reads the archive in the file of the index. */
export function createSqliteArchive(db: DatabaseSync, answer: Answer): SessionArchive {
  const columns = `id, place, rules = ${REDACTION_RULES} AS clean, own, fingerprint, kept, gone_at, doc ->> '$.session.prompts_only' AS prompts_only, doc ->> '$.session.parent_id' AS parent_id, doc ->> '$.session.project' AS project, doc ->> '$.session.cwd' AS cwd,
    fingerprint <> '' AND EXISTS (SELECT 1 FROM sessions AS s WHERE s.source = archive_sessions.source
      AND s.id = archive_sessions.id AND s.fingerprint IN (archive_sessions.fingerprint, '')) AS current`
  const isComplete = 'source = ? AND fingerprint IS NOT NULL'
  const readImage = (hash: string): string | null => {
    const row = db.prepare('SELECT data FROM archive_images WHERE hash = ?').get(hash)
    return row === undefined ? null : String(row.data)
  }
  return {
    list: (source) =>
      answer(() =>
        db.prepare(`SELECT ${columns} FROM archive_sessions WHERE ${isComplete}`).all(source).map(toSession),
      ),
    get: (source, id) =>
      answer(() => {
        const row = db
          .prepare(`SELECT ${columns} FROM archive_sessions WHERE ${isComplete} AND id = ? AND kept = 1`)
          .get(source, id)
        return row === undefined ? undefined : toSession(row)
      }),
    hashes: (source, id) =>
      answer(() => {
        const rows = db
          .prepare(
            `SELECT first, hash FROM archive_chunks WHERE session = (
               SELECT number FROM archive_sessions WHERE ${isComplete} AND id = ?)`,
          )
          .all(source, id)
        return new Map(rows.map(({ first, hash }) => [Number(first), String(hash)]))
      }),
    head: (source, id) =>
      answer(() => {
        const row = db
          .prepare(`SELECT doc FROM archive_sessions WHERE ${isComplete} AND id = ? AND kept = 1`)
          .get(source, id)
        return row === undefined ? null : (JSON.parse(String(row.doc)) as ArchiveHead)
      }),
    read: (source, id, from) =>
      answer(() => {
        const row = db
          .prepare(
            `SELECT first, count, data, EXISTS (
               SELECT 1 FROM archive_chunks AS next WHERE next.session = c.session AND next.first > c.first) AS more
             FROM archive_chunks AS c WHERE first <= ? AND session = (
               SELECT number FROM archive_sessions WHERE ${isComplete} AND id = ? AND kept = 1)
             ORDER BY first DESC LIMIT 1`,
          )
          .get(from, source, id)
        if (row === undefined) return null
        const [first, count] = [Number(row.first), Number(row.count)]
        if (from > first && from >= first + count) return null
        const records = decodeChunk({ first, data: row.data as Uint8Array }, readImage)
        return {
          records: from === first ? records : records.filter((each) => 'n' in each && each.n >= from),
          next: row.more === 1 ? first + count : null,
        }
      }),
    expired: ({ before, maxBytes, beside }) =>
      answer(() => {
        if (before === null && maxBytes === null) return []
        const all = readSize(db)
        let left = all.bytes + all.image_bytes + (beside?.total ?? 0)
        const gone = db
          .prepare(
            `SELECT source, id, doc ->> '$.session.last_at' AS last_at,
               (SELECT coalesce(sum(length(data)), 0) FROM archive_chunks AS c WHERE c.session = a.number) +
               (SELECT coalesce(sum(length(i.data)), 0) FROM archive_images AS i WHERE i.hash IN (
                 SELECT u.hash FROM archive_image_uses AS u JOIN archive_chunks AS c ON c.number = u.chunk
                 WHERE c.session = a.number)) AS bytes
             FROM archive_sessions AS a WHERE gone_at IS NOT NULL ORDER BY last_at`,
          )
          .all()
        return gone.flatMap(({ source, id, last_at, bytes }) => {
          const isOld = before !== null && Number(last_at) < before
          if (!isOld && (maxBytes === null || left <= maxBytes)) return []
          const session = { source: String(source), id: String(id) }
          left -= Number(bytes) + (beside?.bytes(session) ?? 0)
          return [session]
        })
      }),
    size: () => answer(() => readSize(db)),
    counts: () =>
      answer(() =>
        db
          .prepare(
            `SELECT source, count(*) FILTER (WHERE NOT prompts) AS sessions,
               count(*) FILTER (WHERE NOT prompts AND gone_at IS NOT NULL) AS gone, count(*) FILTER (WHERE prompts) AS prompts_only
             FROM (SELECT source, gone_at, coalesce(doc ->> '$.session.prompts_only', 0) AS prompts
               FROM archive_sessions WHERE fingerprint IS NOT NULL AND kept = 1) GROUP BY source`,
          )
          .all()
          .map(({ source, sessions, gone, prompts_only }) => ({
            source: String(source),
            sessions: Number(sessions),
            gone: Number(gone),
            prompts_only: Number(prompts_only),
          })),
      ),
  }
}

function readSize(db: DatabaseSync): ArchiveSize {
  const sizes = db
    .prepare(
      `SELECT (SELECT count(*) FROM archive_sessions WHERE fingerprint IS NOT NULL AND kept = 1) AS sessions,
         (SELECT count(*) FROM archive_sessions WHERE gone_at IS NOT NULL) AS gone,
         (SELECT coalesce(sum(length(data)), 0) FROM archive_chunks) AS bytes,
         (SELECT coalesce(sum(length(data)), 0) FROM archive_images) AS image_bytes`,
    )
    .get()
  return {
    sessions: Number(sizes?.sessions),
    gone: Number(sizes?.gone),
    bytes: Number(sizes?.bytes),
    image_bytes: Number(sizes?.image_bytes),
  }
}

const toSession = (row: Readonly<Record<string, unknown>>): ArchivedSession => ({
  id: String(row.id),
  place: String(row.place),
  own: String(row.own),
  fingerprint: String(row.fingerprint),
  prompts_only: row.prompts_only === 1,
  kept: row.kept === 1,
  clean: row.clean === 1,
  current: row.current === 1,
  gone_at: row.gone_at === null ? null : Number(row.gone_at),
  parent_id: row.parent_id === null ? null : String(row.parent_id),
  project: row.project === null ? null : String(row.project),
  cwd: row.cwd === null ? null : String(row.cwd),
})
