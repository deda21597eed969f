import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Refused, type Work } from '@panoptes/engine/worker-rpc'
import type { Account, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { queryAccount } from '../../accounts/stored-account.ts'
import { stoppedFailure, writeNewFile } from '../../new-file.ts'
import { answer, sqlite } from '../accounts/dialect.ts'
import { writeAccounts } from '../accounts/store.ts'
import { toFailure } from '../failures.ts'
import { APPLICATION_ID, migrate, readNumber, SCHEMA_VERSION } from '../migrations.ts'
import { inTransaction, Statements } from '../statements.ts'
import { lastSeq } from '../writer.ts'
import { readPage, type Value } from './cells.ts'
import { DamagedFile } from './damaged-file.ts'
import { rowValues, type Shape, tableShapes } from './shapes.ts'
import { type Survey, survey, type TablePages } from './survey.ts'

/**
 * The result for one table. A page that cannot be read may have held many rows, so the number of lost rows is
 * unknown.
 */
export interface RescuedTable {
  readonly table: string
  readonly rows: number
  readonly lost_rows: number
  readonly lost_pages: number
}

export interface Rescued {
  readonly path: string
  readonly events: number
  readonly first_seq: number
  readonly last_seq: number
  readonly lost_events: number
  /** Ranges of lost event numbers, first and last. */
  readonly lost: readonly (readonly [number, number])[]
  readonly tables: readonly RescuedTable[]
  /** Counts the pages that held unknown data. */
  readonly unknown_pages: number
}

const HEADER_BYTES = 100
const PAGES_AT_ONCE = 64

/**
 * Writes a new store with every row that can still be read from a damaged one. Keys, numbers and times stay
 * the same. Numbers of lost events stay reserved, so that no number is assigned twice. The damaged file is
 * only read.
 */
export async function rescueStore(
  source: string,
  target: string,
  work: Work & { readonly replace?: boolean | undefined } = {},
): Promise<Result<Rescued>> {
  try {
    const file = new DamagedFile(source)
    try {
      return success(
        await writeNewFile(target, work.replace === true, toFailure, (partial) =>
          new Rescue(file, source, target, work).into(partial),
        ),
      )
    } finally {
      file.close()
    }
  } catch (error) {
    return toFailure(error, source)
  }
}

class Rescue {
  readonly #file: DamagedFile
  readonly #source: string
  readonly #target: string
  readonly #work: Work
  #done = 0

  constructor(file: DamagedFile, source: string, target: string, work: Work) {
    this.#file = file
    this.#source = source
    this.#target = target
    this.#work = work
  }

  async into(partial: string): Promise<Rescued> {
    const version = this.#version()
    const found = await survey(this.#file, tableShapes(version), (done) => this.#step(done))
    const db = new DatabaseSync(partial)
    let rescued: Rescued
    try {
      db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
      migrate(db, version)
      rescued = await this.#fill(db, found)
    } finally {
      db.close()
    }
    flush(partial)
    return rescued
  }

  async #fill(db: DatabaseSync, found: Survey): Promise<Rescued> {
    const rescued: RescuedTable[] = []
    this.#done = this.#file.count
    for (const table of found.tables.values()) rescued.push(await this.#copy(db, table))
    if (rescued.every(({ table, rows }) => rows === 0 || table === 'meta'))
      throw new Refused(
        failure(
          'corrupt',
          `${this.#source} contains no readable store data, so ${this.#target} was not written.`,
        ),
      )
    migrate(db)
    const accounts = rescued.filter(({ table }) => table.startsWith('account'))
    if (found.unknown > 0 || accounts.some(isIncomplete)) putAccountsAnew(db)
    const base = readNumber(db, "SELECT value FROM meta WHERE name = 'base_seq'")
    const events = readNumber(db, 'SELECT count(*) FROM events WHERE ts >= 0')
    const first = readNumber(db, 'SELECT min(seq) FROM events')
    const lost = keepNumbers(db, {
      first: base === 0 ? Math.max(1, first) : base + 1,
      last: this.#highestSeq(found, db),
    })
    return {
      path: this.#target,
      events,
      first_seq: readNumber(db, 'SELECT min(seq) FROM events'),
      last_seq: lastSeq(db),
      lost_events: lost.reduce((sum, [from, to]) => sum + to - from + 1, 0),
      lost,
      tables: rescued,
      unknown_pages: found.unknown,
    }
  }

  async #copy(db: DatabaseSync, { shape, pages, unreadable }: TablePages): Promise<RescuedTable> {
    const insert = db.prepare(insertInto(shape))
    let rows = 0
    let lostRows = 0
    for (let at = 0; at < pages.length; at += PAGES_AT_ONCE) {
      inTransaction(db, () => {
        for (const number of pages.slice(at, at + PAGES_AT_ONCE)) {
          const page = readPage(this.#file, number)
          const read = (page?.cells ?? [])
            .map((cell) => rowValues(shape, cell))
            .filter((row) => row !== undefined)
          for (const row of read) rows += Number(insert.run(...row.map(toInput)).changes)
          const holdsRows = page?.kind !== 'table inner'
          if (holdsRows) lostRows += (page?.cellCount ?? 0) - read.length
        }
      })
      await this.#step(this.#done + Math.min(PAGES_AT_ONCE, pages.length - at))
    }
    return { table: shape.name, rows, lost_rows: lostRows, lost_pages: unreadable }
  }

  /** Finds the highest number that an event had, as far as any trace of it is left. */
  #highestSeq({ keys }: Survey, db: DatabaseSync): number {
    let last = lastSeq(db)
    for (const number of keys)
      for (const { values } of readPage(this.#file, number)?.cells ?? []) {
        const seq = values.at(-1)
        if (values.length === 2 && typeof seq === 'number' && seq < this.#file.count * this.#file.pageSize)
          last = Math.max(last, seq)
      }
    return last
  }

  /**
   * Returns the version in the file's header if the header is sound, otherwise the version of this program.
   */
  #version(): number {
    const header = this.#file.page(1).subarray(0, HEADER_BYTES)
    const isHeader = header.toString('latin1', 0, 15) === 'SQLite format 3'
    if (!isHeader || header.readUInt32BE(68) !== APPLICATION_ID) return SCHEMA_VERSION
    const version = header.readUInt32BE(60)
    if (version > SCHEMA_VERSION)
      throw new Refused(
        failure(
          'newer_version',
          `${this.#source} was written by a newer Panoptes. Update Panoptes, then try again.`,
        ),
      )
    return version
  }

  async #step(done: number): Promise<void> {
    this.#done = done
    this.#work.onProgress?.(Math.min(done, 2 * this.#file.count), 2 * this.#file.count)
    await setImmediate()
    if (this.#work.signal?.aborted) throw stoppedFailure(this.#target)
  }
}

const isIncomplete = ({ lost_rows, lost_pages }: RescuedTable): boolean => lost_rows + lost_pages > 0

/** A new store already has some rows of its own, which are replaced. */
const insertInto = ({ name, columns }: Shape): string =>
  `INSERT OR ${name === 'meta' ? 'REPLACE' : 'IGNORE'} INTO ${name} (${columns.map((column) => column.name).join(', ')})
   VALUES (${columns.map(() => '?').join(', ')})`

const toInput = (value: Value): SQLInputValue => value

/**
 * Rebuilds the sums over accounts from the rows that are left. Lost accounts are read again if their source
 * still exists.
 */
function putAccountsAnew(db: DatabaseSync): void {
  const statements = new Statements(db)
  const sessions = db.prepare('SELECT source, session_id FROM accounts ORDER BY number').all()
  const accounts: Account[] = []
  for (const { source, session_id } of sessions) {
    const account = answer(
      statements,
      queryAccount(sqlite, { source: String(source), id: String(session_id) }),
    )
    if (account !== null) accounts.push({ ...account, fingerprint: '' })
  }
  inTransaction(db, () => {
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'account*' AND name <> 'account_journal'",
      )
      .all()
    for (const { name } of tables) db.exec(`DELETE FROM ${name}`)
    writeAccounts(new Statements(db), (writes) => {
      for (const account of accounts) writes.put(account)
    })
  })
}

/**
 * Fills the gaps with numbers that stand for nothing, like those of forgotten events, and returns the ranges.
 */
function keepNumbers(
  db: DatabaseSync,
  { first, last }: { readonly first: number; readonly last: number },
): readonly (readonly [number, number])[] {
  const lost: (readonly [number, number])[] = []
  let next = first
  for (const row of db.prepare('SELECT seq FROM events ORDER BY seq').iterate()) {
    const seq = Number(row.seq)
    if (seq > next) lost.push([next, seq - 1])
    next = seq + 1
  }
  if (last >= next) lost.push([next, last])
  inTransaction(db, () => {
    db.prepare("UPDATE meta SET value = ? WHERE name = 'base_seq'").run(first - 1)
    db.prepare('DELETE FROM events WHERE seq < ?').run(first)
    const keep = db.prepare(
      `WITH RECURSIVE gap (seq) AS (SELECT ?1 UNION ALL SELECT seq + 1 FROM gap WHERE seq < ?2)
       INSERT INTO events SELECT seq, char(31) || seq, -1, '', '', '', NULL, 0, '' FROM gap`,
    )
    for (const [from, to] of lost) keep.run(from, to)
  })
  return lost
}

/** The file must be on the disk before it is renamed. */
function flush(path: string): void {
  const fd = openSync(path, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
