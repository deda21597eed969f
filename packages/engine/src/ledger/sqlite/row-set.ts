import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Projection, Rows } from '../projections/index.ts'

export type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/** Rows kept between transactions; beyond it the oldest are read again when they are needed. */
const MOST_ROWS = 20_000

/** The rows of one projection: read when they are asked for, changed in memory, each written once a transaction. */
export class RowSet implements Rows<object> {
  readonly #projection: Projection<object>
  readonly #rows = new Map<string, object>()
  readonly #dirty = new Set<string>()
  readonly #removed = new Set<string>()
  readonly #load: StatementSync
  readonly #group: StatementSync
  readonly #save: StatementSync
  readonly #delete: StatementSync

  constructor(db: DatabaseSync, table: Table, projection: Projection<object>) {
    this.#projection = projection
    this.#load = db.prepare(`SELECT doc FROM ${table} WHERE name = ? AND key = ?`)
    this.#group = db.prepare(`SELECT key FROM ${table} WHERE name = ? AND grp = ? ORDER BY key`)
    this.#save = db.prepare(
      `INSERT INTO ${table} (name, key, grp, tag, ord, ref, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (name, key) DO UPDATE SET grp = excluded.grp, tag = excluded.tag, ord = excluded.ord, ref = excluded.ref, doc = excluded.doc`,
    )
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE name = ? AND key = ?`)
  }

  get(key: string): object | undefined {
    const known = this.#rows.get(key)
    if (known !== undefined || this.#removed.has(key)) return known
    const found = this.#load.get(this.#projection.name, key)
    if (found === undefined) return undefined
    const row = JSON.parse(String(found.doc)) as object
    this.#rows.set(key, row)
    return row
  }

  set(key: string, row: object): void {
    this.#rows.set(key, row)
    this.#dirty.add(key)
    this.#removed.delete(key)
  }

  remove(key: string): void {
    this.#rows.delete(key)
    this.#dirty.delete(key)
    this.#removed.add(key)
  }

  /** In the table, and those of this transaction that are not there yet; in the order of their keys. */
  group(name: string): readonly (readonly [string, object])[] {
    const keys = new Set(this.#group.all(this.#projection.name, name).map((row) => String(row.key)))
    for (const key of this.#dirty) {
      const row = this.#rows.get(key)
      if (row !== undefined && this.#projection.place(row).group === name) keys.add(key)
    }
    return [...keys].sort().flatMap((key) => {
      const row = this.get(key)
      return row === undefined ? [] : [[key, row] as const]
    })
  }

  flush(): void {
    const { name, place } = this.#projection
    for (const key of this.#removed) this.#delete.run(name, key)
    for (const key of this.#dirty) {
      const row = this.#rows.get(key)
      if (row === undefined) continue
      const { group, tag, order, ref } = place(row)
      this.#save.run(name, key, group, tag, order, ref, JSON.stringify(row))
    }
    this.#dirty.clear()
    this.#removed.clear()
    this.#forgetOldest()
  }

  reset(): void {
    this.#rows.clear()
    this.#dirty.clear()
    this.#removed.clear()
  }

  #forgetOldest(): void {
    if (this.#rows.size <= MOST_ROWS) return
    let surplus = this.#rows.size - MOST_ROWS / 2
    for (const key of this.#rows.keys()) {
      if (surplus <= 0) return
      this.#rows.delete(key)
      surplus -= 1
    }
  }
}
