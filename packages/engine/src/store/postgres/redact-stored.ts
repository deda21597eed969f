import type { Job } from '@panoptes/engine/worker-rpc'
import type { Account } from '@panoptes/schema'
import { DROP_NAMES } from '../accounts/names.ts'
import { queryAccount } from '../accounts/stored-account.ts'
import {
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
import { listNames, lockAccounts, writeAccounts } from './accounts/account-writes.ts'
import { answer, postgres } from './accounts/dialect.ts'
import type { Connection, Database, Row, Value } from './database.ts'
import { pageQuery } from './event-reader.ts'
import { runExclusively } from './locks.ts'
import { rowKeys, toStoredKey } from './names.ts'
import { REPLACED, rebuildOn } from './rebuild.ts'
import { beginScrub, changing, type Scrubbed, scrub } from './scrub.ts'

/**
 * Removes secrets that older redaction rules missed and returns how many rows changed. It works slice by
 * slice, so that appends continue, and stores its progress with each slice. Only the rewrite of the changed
 * tables at the end holds appends up.
 */
export async function redactStored(database: Database, job: Job): Promise<number> {
  if ((await readRemaining(database)) === undefined) return 0
  return runExclusively(database, job, async (connection) => {
    // Another process may have finished the work while this one waited.
    const cleaning = await readRemaining(connection)
    return cleaning === undefined ? 0 : new StoredRedaction(connection, database.schema, job, cleaning).run()
  })
}

/** Columns that this engine stores differently from SQLite. */
const OWN_TABLES: readonly DocTable[] = [
  { table: 'facts', keys: ['number'], doc: 'doc' },
  { table: 'chat_messages', keys: ['number'], doc: 'preamble', only: 'preamble IS NOT NULL' },
]

async function readRemaining({ row }: Pick<Connection, 'row'>): Promise<Cleaning | undefined> {
  const found = await row('SELECT value FROM marks WHERE name = $1', [CLEANING])
  return parseRemainingCleaning(found === undefined ? undefined : String(found.value))
}

class StoredRedaction {
  readonly #connection: Connection
  readonly #schema: string
  readonly #job: Job
  #cleaning: Cleaning
  #scrubbed: Scrubbed

  constructor(connection: Connection, schema: string, job: Job, cleaning: Cleaning) {
    this.#connection = connection
    this.#schema = schema
    this.#job = job
    this.#cleaning = cleaning
  }

  async run(): Promise<number> {
    const connection = this.#connection
    const wentOn = this.#cleaning.rows > 0
    // The tables that a process changed before it died were never recorded, so all of them are rewritten
    // then.
    const noted = await beginScrub(connection)
    this.#scrubbed = wentOn ? undefined : noted
    await this.#cleanEvents()
    // Retention may have dropped events that were not cleaned yet, so its base is cleaned after the events.
    await this.#cleanBase()
    for (const table of [...DOC_TABLES, ...OWN_TABLES]) await this.#cleanDocs(table)
    await this.#cleanTags()
    await this.#cleanFilterNames()
    await this.#cleanAccounts()
    if (this.#cleaning.rows > 0) {
      await this.#change(() => connection.run(DROP_NAMES))
      await rebuildOn(connection, this.#schema, false, this.#job)
      for (const table of REPLACED) this.#scrubbed?.add(table)
    }
    // If nothing changed, only tables that another job left when it died are rewritten.
    await scrub(connection, this.#cleaning.rows === 0 && noted !== undefined ? new Set() : this.#scrubbed)
    await this.#remember({ after: null })
    return this.#cleaning.rows
  }

  async #cleanEvents(): Promise<void> {
    const { row, rows, run } = this.#connection
    const head = await row('SELECT last, base FROM head')
    const last = Number(head?.last)
    let at = Math.max(this.#cleaning.after ?? last, Number(head?.base))
    while (at < last) {
      await this.#change(async () => {
        const slice = `SELECT seq, body FROM log WHERE seq > $1 ORDER BY seq LIMIT ${CLEANED_ROWS}`
        const found = await rows(pageQuery(slice), [at])
        let changed = 0
        for (const { seq, body } of found) {
          const stored = String(body)
          const clean = cleanStoredEvent(stored)
          if (clean === undefined) continue
          await run('UPDATE events SET event = $1, source = $2, body = $3 WHERE seq = $4', [
            clean.event,
            clean.source,
            clean.line,
            Number(seq),
          ])
          if (!stored.includes(JSON.stringify(clean.key))) await this.#changeKey(clean.key, Number(seq))
          changed += 1
        }
        at = found.length === 0 ? last : Number(found.at(-1)?.seq)
        await this.#changed(changed, at)
      })
      this.#job.progress(Math.min(at, last), last)
      await yieldToAppends(this.#job)
    }
  }

  /** The event may have been sent again since, under the key that the cleaned source results in. */
  async #changeKey(key: string, seq: number): Promise<void> {
    const { row, run } = this.#connection
    const taken = await row('SELECT FROM event_keys WHERE key = $1', [toStoredKey(key)])
    const free = taken === undefined ? toStoredKey(key) : `${String.fromCharCode(31)}${seq}`
    await run('UPDATE event_keys SET key = $1 WHERE seq = $2', [free, seq])
  }

  #cleanBase(): Promise<void> {
    const { run } = this.#connection
    const columns = 'SELECT name, key, grp, ref, doc FROM projection_base'
    return this.#pages(columns, ['name', 'key'], async (row) => {
      const stored = row as unknown as ProjectionRow
      const { key, group } = rowKeys(stored.name, stored.key, stored.grp, stored.doc)
      const clean = cleanProjectionRow({ ...stored, key, grp: group })
      if (clean === undefined) return false
      if (toStoredKey(clean.key) !== stored.key)
        await run('DELETE FROM projection_base WHERE name = $1 AND key = $2', [
          stored.name,
          toStoredKey(clean.key),
        ])
      await run(
        'UPDATE projection_base SET key = $3, grp = $4, ref = $5, doc = $6 WHERE name = $1 AND key = $2',
        [stored.name, stored.key, toStoredKey(clean.key), toStoredKey(clean.grp), clean.ref, clean.doc],
      )
      return true
    })
  }

  #cleanDocs({ table, keys, doc, only, clean: cleanStored = cleanDoc }: DocTable): Promise<void> {
    const rows = `SELECT ${[...keys, doc].join(', ')} FROM ${table}${only === undefined ? '' : ` WHERE ${only}`}`
    // What somebody wrote in the meantime stays, because it is clean.
    const same = [doc, ...keys].map((key, at) => `${key} = $${at + 2}`).join(' AND ')
    return this.#pages(rows, keys, async (row) => {
      const stored = String(row[doc])
      const clean = cleanStored(stored)
      if (clean === stored) return false
      const values = [clean, stored, ...keyIn(row, keys)]
      const changed = await this.#connection.run(`UPDATE ${table} SET ${doc} = $1 WHERE ${same}`, values)
      return changed > 0
    })
  }

  #cleanTags(): Promise<void> {
    const rows = "SELECT source, id, tags FROM session_marks WHERE tags <> '{}'"
    return this.#pages(rows, ['source', 'id'], async ({ source, id, tags }) => {
      const stored = tags as readonly string[]
      const clean = stored.map(cleanText)
      if (clean.every((tag, at) => tag === stored[at])) return false
      const update = 'UPDATE session_marks SET tags = $1 WHERE tags = $2 AND source = $3 AND id = $4'
      return (await this.#connection.run(update, [clean, stored, String(source), String(id)])) > 0
    })
  }

  #cleanFilterNames(): Promise<void> {
    const { run } = this.#connection
    return this.#pages('SELECT name FROM saved_filters', ['name'], async ({ name }) => {
      const clean = cleanText(String(name))
      if (clean === name) return false
      await run('DELETE FROM saved_filters WHERE name = $1', [clean])
      await run('UPDATE saved_filters SET name = $1 WHERE name = $2', [clean, String(name)])
      return true
    })
  }

  #cleanAccounts(): Promise<void> {
    const rows = 'SELECT number, source, session_id FROM accounts'
    return this.#pages(rows, ['number'], async (row) => {
      const session = { source: String(row.source), id: String(row.session_id) }
      await lockAccounts(this.#connection)
      const account = await answer(this.#connection, queryAccount(postgres, session))
      if (account === null) return false
      const clean: Account = cleanAccount(account)
      if (clean === account) return false
      const sessions = [session, { source: clean.source, id: session.id }]
      await writeAccounts(this.#connection, sessions, listNames(clean), (writes) => {
        if (clean.source !== session.source) writes.remove(session.source, session.id)
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
    change: (row: Row) => Promise<boolean>,
  ): Promise<void> {
    const order = keys.join(', ')
    const values = keys.map((_, at) => `$${at + 1}`).join(', ')
    let after: readonly Value[] | undefined
    for (let isOver = false; !isOver; ) {
      await this.#change(async () => {
        const where = after === undefined ? '' : `WHERE (${order}) > (${values})`
        const sql = `SELECT * FROM (${query}) AS page ${where} ORDER BY ${order} LIMIT ${PAGE_ROWS}`
        const rows = await this.#connection.rows(sql, after)
        let changed = 0
        for (const row of rows) if (await change(row)) changed += 1
        await this.#changed(changed)
        const end = rows.at(-1)
        if (end !== undefined) after = keyIn(end, keys)
        isOver = rows.length < PAGE_ROWS
      })
      await yieldToAppends(this.#job)
    }
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    return changing(this.#connection, this.#scrubbed, work)
  }

  /** Call this within the transaction that changed the rows. */
  async #changed(rows: number, after = this.#cleaning.after): Promise<void> {
    if (rows > 0 || after !== this.#cleaning.after)
      await this.#remember({ after, rows: this.#cleaning.rows + rows })
  }

  async #remember(how: Partial<Cleaning>): Promise<void> {
    this.#cleaning = { ...this.#cleaning, ...how }
    await this.#connection.run(
      'INSERT INTO marks VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [CLEANING, JSON.stringify(this.#cleaning)],
    )
  }
}

/** The page size for rows other than events. Such a row may be as large as the account of a long session. */
const PAGE_ROWS = 100

const keyIn = (row: Row, keys: readonly string[]): readonly Value[] => keys.map((key) => row[key] as Value)
