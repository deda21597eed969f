import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Job } from '@panoptes/engine/worker-rpc'
import { queryAccount } from '../accounts/stored-account.ts'
import {
  CLEANED_CHARS,
  CLEANED_ROWS,
  CLEANING,
  type Cleaning,
  cleanAccount,
  cleanDoc,
  cleanProjectionRow,
  cleanStoredEvent,
  cleanText,
  DOC_TABLES,
  type DocTable,
  type ProjectionRow,
  parseRemainingCleaning,
} from '../stored-secrets.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { answer, sqlite } from './accounts/dialect.ts'
import { dropNames } from './accounts/index.ts'
import { writeAccounts } from './accounts/store.ts'
import { scrub } from './forget.ts'
import { FORGOTTEN } from './migrations.ts'
import { rebuild } from './rebuild.ts'
import { inTransaction, Statements } from './statements.ts'
import { lastSeq, type Writer } from './writer.ts'

/**
 * Removes secrets that older redaction rules missed and returns how many rows changed. It works slice by
 * slice, so that appends continue, and stores its progress with each slice. Only copying the file at the end
 * holds appends up.
 */
export async function redactStored(writer: Writer, job: Job): Promise<number> {
  const remaining = parseRemainingCleaning(readCleaning(writer.db))
  return remaining === undefined ? 0 : new StoredRedaction(writer, job, remaining).run()
}

function readCleaning(db: DatabaseSync): string | undefined {
  const row = db.prepare('SELECT value FROM meta WHERE name = ?').get(CLEANING)
  return row === undefined ? undefined : String(row.value)
}

/** Columns that this engine stores differently from PostgreSQL. */
const OWN_TABLES: readonly DocTable[] = [
  { table: 'facts', keys: ['number'], doc: 'text', clean: cleanText },
  {
    table: 'chat_messages',
    keys: ['number'],
    doc: 'preamble',
    clean: cleanText,
    only: 'preamble IS NOT NULL',
  },
  { table: 'session_marks', keys: ['source', 'id'], doc: 'tags' },
]

type Row = Readonly<Record<string, unknown>>
type Key = readonly SQLInputValue[]

class StoredRedaction {
  readonly #writer: Writer
  readonly #db: DatabaseSync
  readonly #job: Job
  readonly #statements: Statements
  #cleaning: Cleaning

  constructor(writer: Writer, job: Job, cleaning: Cleaning) {
    this.#writer = writer
    this.#db = writer.db
    this.#job = job
    this.#statements = new Statements(writer.db)
    this.#cleaning = cleaning
  }

  async run(): Promise<number> {
    await this.#cleanEvents()
    // Retention may have dropped events that were not cleaned yet, so its base is cleaned after the events.
    await this.#cleanBase()
    for (const table of [...DOC_TABLES, ...OWN_TABLES]) await this.#cleanDocs(table)
    await this.#cleanFilterNames()
    await this.#cleanAccounts()
    if (this.#cleaning.rows > 0) {
      dropNames(this.#db)
      await rebuild(this.#writer, false, this.#job)
      await scrub(this.#writer)
    }
    inTransaction(this.#db, () => this.#remember({ after: null }))
    return this.#cleaning.rows
  }

  async #cleanEvents(): Promise<void> {
    const page = this.#statements.of('SELECT seq, key, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
    const update = this.#statements.of(
      'UPDATE events SET key = ?, event = ?, source = ?, body = ? WHERE seq = ?',
    )
    const last = lastSeq(this.#db)
    let at = this.#cleaning.after ?? last
    while (at < last) {
      inTransaction(this.#db, () => {
        const { rows, isLast } = readSlice(page.iterate(at, CLEANED_ROWS), 'body')
        let changed = 0
        for (const { seq, key, body } of rows) {
          at = Number(seq)
          if (body === FORGOTTEN) continue
          const clean = cleanStoredEvent(String(body))
          if (clean === undefined) continue
          update.run(this.#freeKey(clean.key, String(key), at), clean.event, clean.source, clean.line, at)
          changed += 1
        }
        if (isLast) at = Math.max(at, last)
        this.#changed(changed, at)
      })
      this.#job.progress(Math.min(at, last), last)
      await yieldToAppends(this.#job)
    }
  }

  /** The event may have been sent again since, under the key that the cleaned source results in. */
  #freeKey(wanted: string, own: string, seq: number): string {
    if (wanted === own) return own
    const taken = this.#statements.of('SELECT 1 FROM events WHERE key = ?').get(wanted) !== undefined
    return taken ? `${String.fromCharCode(31)}${seq}` : wanted
  }

  #cleanBase(): Promise<void> {
    const update = this.#statements.of(
      'UPDATE OR REPLACE projection_base SET key = ?, grp = ?, ref = ?, doc = ? WHERE rowid = ?',
    )
    return this.#pages('SELECT rowid AS number, * FROM projection_base', ['number'], 'doc', (row) => {
      const clean = cleanProjectionRow(row as unknown as ProjectionRow)
      if (clean === undefined) return false
      update.run(clean.key, clean.grp, clean.ref, clean.doc, Number(row.number))
      return true
    })
  }

  #cleanDocs({ table, keys, doc, only, clean: cleanStored = cleanDoc }: DocTable): Promise<void> {
    const update = this.#statements.of(
      `UPDATE ${table} SET ${doc} = ? WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`,
    )
    const rows = `SELECT ${[...keys, doc].join(', ')} FROM ${table}${only === undefined ? '' : ` WHERE ${only}`}`
    return this.#pages(rows, keys, doc, (row) => {
      const clean = cleanStored(String(row[doc]))
      if (clean === row[doc]) return false
      update.run(clean, ...keyIn(row, keys))
      return true
    })
  }

  #cleanFilterNames(): Promise<void> {
    const update = this.#statements.of('UPDATE OR REPLACE saved_filters SET name = ? WHERE name = ?')
    return this.#pages('SELECT name FROM saved_filters', ['name'], 'name', ({ name }) => {
      const clean = cleanText(String(name))
      if (clean === name) return false
      update.run(clean, String(name))
      return true
    })
  }

  #cleanAccounts(): Promise<void> {
    return this.#pages('SELECT number, source, session_id, doc FROM accounts', ['number'], 'doc', (row) => {
      const [source, id] = [String(row.source), String(row.session_id)]
      const account = answer(this.#statements, queryAccount(sqlite, { source, id }))
      if (account === null) return false
      const clean = cleanAccount(account)
      if (clean === account) return false
      writeAccounts(this.#statements, (writes) => {
        if (clean.source !== source) writes.remove(source, id)
        writes.put(clean)
      })
      return true
    })
  }

  /**
   * Goes through all rows of a query in the order of their keys and counts those that `change` reports as
   * changed.
   */
  async #pages(
    query: string,
    keys: readonly string[],
    text: string,
    change: (row: Row) => boolean,
  ): Promise<void> {
    const order = keys.join(', ')
    const values = keys.map(() => '?').join(', ')
    let after: Key | undefined
    for (let isOver = false; !isOver; ) {
      const where = after === undefined ? '' : `WHERE (${order}) > (${values})`
      const page = this.#statements.of(
        `SELECT * FROM (${query}) ${where} ORDER BY ${order} LIMIT ${CLEANED_ROWS}`,
      )
      inTransaction(this.#db, () => {
        const { rows, isLast } = readSlice(page.iterate(...(after ?? [])), text)
        this.#changed(rows.filter(change).length)
        const end = rows.at(-1)
        if (end !== undefined) after = keyIn(end, keys)
        isOver = isLast
      })
      await yieldToAppends(this.#job)
    }
  }

  /** Call this within the transaction that changed the rows. */
  #changed(rows: number, after = this.#cleaning.after): void {
    if (rows > 0 || after !== this.#cleaning.after)
      this.#remember({ after, rows: this.#cleaning.rows + rows })
  }

  #remember(how: Partial<Cleaning>): void {
    this.#cleaning = { ...this.#cleaning, ...how }
    this.#statements
      .of('INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
      .run(CLEANING, JSON.stringify(this.#cleaning))
  }
}

const keyIn = (row: Row, keys: readonly string[]): Key => keys.map((key) => row[key] as SQLInputValue)

/**
 * Takes few enough rows to keep a slice short, however long their texts are. It reads the rows before any of
 * them changes.
 */
function readSlice(
  page: Iterable<Row>,
  text: string,
): { readonly rows: readonly Row[]; readonly isLast: boolean } {
  const rows: Row[] = []
  let chars = 0
  for (const row of page) {
    rows.push(row)
    chars += String(row[text]).length
    if (chars >= CLEANED_CHARS) return { rows, isLast: false }
  }
  return { rows, isLast: rows.length < CLEANED_ROWS }
}
