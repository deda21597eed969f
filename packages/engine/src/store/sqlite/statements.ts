import type { DatabaseSync, StatementSync } from 'node:sqlite'

const MOST_STATEMENTS = 64

/** The statements of one connection, each prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  of(sql: string): StatementSync {
    const cached = this.#prepared.get(sql)
    if (cached !== undefined) return cached
    if (this.#prepared.size >= MOST_STATEMENTS) this.#prepared.clear()
    const statement = this.#db.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }

  /** Returns the last seq that retention dropped. */
  base(): number {
    return Number(this.of("SELECT value FROM meta WHERE name = 'base_seq'").get()?.value ?? 0)
  }

  /** Returns the newest seq. An empty log still knows it. */
  last(): number {
    const newest = Number(this.of('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0)
    return Math.max(newest, this.base())
  }
}

/** Commits everything or nothing. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const done = work()
    db.exec('COMMIT')
    return done
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
