import type { DatabaseSync, StatementSync } from 'node:sqlite'

const MOST_STATEMENTS = 64

/** Statements of one connection, prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #known = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  of(sql: string): StatementSync {
    const known = this.#known.get(sql)
    if (known !== undefined) return known
    if (this.#known.size >= MOST_STATEMENTS) this.#known.clear()
    const statement = this.#db.prepare(sql)
    this.#known.set(sql, statement)
    return statement
  }

  /** The last seq that retention dropped. */
  base(): number {
    return Number(this.of("SELECT value FROM meta WHERE name = 'base_seq'").get()?.value ?? 0)
  }

  /** The newest seq. An emptied log still knows where it was. */
  last(): number {
    const newest = Number(this.of('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0)
    return Math.max(newest, this.base())
  }
}
