import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Projection, Rows } from '../projections/index.ts'
import { selectAliveKeys, selectKeys } from './event-reader.ts'

export type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/**
 * This many rows stay in memory between transactions. Beyond that, the oldest are dropped and read again when
 * needed.
 */
const MOST_ROWS = 20_000

/** A row in memory with its id, tag and order in the table. It has no tag until it is stored. */
interface CachedRow {
  row: object
  id: number
  tag: string | undefined
  order: number
  dirty: boolean
}

/** Is called for every row that is stored or removed inside a transaction. */
export interface RowObserver {
  readonly wrote: (key: string, row: object, doc: string) => void
  readonly removed: (key: string, row: object) => void
}

/** The rows of one projection: loaded on demand, changed in memory, and each written once per transaction. */
export class RowSet implements Rows<object> {
  readonly #projection: Projection<object>
  readonly #observer: RowObserver | undefined
  readonly #rows = new Map<string, CachedRow>()
  readonly #dirty: string[] = []
  readonly #load: StatementSync
  readonly #group: StatementSync
  readonly #alive: StatementSync
  readonly #insert: StatementSync
  readonly #move: StatementSync
  readonly #update: StatementSync
  readonly #delete: StatementSync
  /** The last key that was not found, because it is usually set next. */
  #absent: string | undefined

  constructor(db: DatabaseSync, table: Table, projection: Projection<object>, observer?: RowObserver) {
    this.#projection = projection
    this.#observer = observer
    this.#load = db.prepare(
      `SELECT rowid AS id, tag, ord, doc FROM ${table} INDEXED BY ${table}_key WHERE name = ? AND key = ?`,
    )
    this.#group = db.prepare(selectKeys(table))
    this.#alive = db.prepare(selectAliveKeys(table))
    this.#insert = db.prepare(
      `INSERT INTO ${table} (name, key, grp, tag, ord, ref, doc) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    // Most changes keep the row's tag and order. An update that names only changed columns spares the
    // indexes.
    this.#move = db.prepare(`UPDATE ${table} SET tag = ?, ord = ?, doc = ? WHERE rowid = ?`)
    this.#update = db.prepare(`UPDATE ${table} SET doc = ? WHERE rowid = ?`)
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE name = ? AND key = ?`)
  }

  get(key: string): object | undefined {
    return this.#cached(key)?.row
  }

  set(key: string, row: object): void {
    const cached = this.#cached(key)
    if (cached === undefined) {
      this.#absent = undefined
      this.#rows.set(key, { row, id: 0, tag: undefined, order: 0, dirty: true })
      this.#dirty.push(key)
      return
    }
    cached.row = row
    if (cached.dirty) return
    cached.dirty = true
    this.#dirty.push(key)
  }

  remove(key: string): void {
    const row = this.#observer && this.get(key)
    if (row !== undefined) this.#observer?.removed(key, row)
    this.#rows.delete(key)
    this.#delete.run(this.#projection.name, key)
  }

  group(name: string): readonly (readonly [string, object])[] {
    return this.#listed(this.#group, name)
  }

  alive(name: string): readonly (readonly [string, object])[] {
    return this.#listed(this.#alive, name)
  }

  flush(): void {
    this.#save()
    if (this.#rows.size <= MOST_ROWS) return
    let surplus = this.#rows.size - MOST_ROWS / 2
    for (const key of this.#rows.keys()) {
      if (surplus <= 0) return
      this.#rows.delete(key)
      surplus -= 1
    }
  }

  reset(): void {
    this.#rows.clear()
    this.#absent = undefined
    this.#dirty.length = 0
  }

  #listed(statement: StatementSync, group: string): readonly (readonly [string, object])[] {
    this.#save()
    return statement.all(this.#projection.name, group).flatMap(({ key }) => {
      const row = this.get(String(key))
      return row === undefined ? [] : [[String(key), row] as const]
    })
  }

  #cached(key: string): CachedRow | undefined {
    const cached = this.#rows.get(key)
    if (cached !== undefined) return cached
    if (key === this.#absent) return undefined
    const found = this.#load.get(this.#projection.name, key)
    if (found === undefined) {
      this.#absent = key
      return undefined
    }
    const loaded = {
      row: JSON.parse(String(found.doc)),
      id: Number(found.id),
      tag: String(found.tag),
      order: Number(found.ord),
      dirty: false,
    }
    this.#rows.set(key, loaded)
    return loaded
  }

  #save(): void {
    const { name, place } = this.#projection
    for (const key of this.#dirty) {
      const cached = this.#rows.get(key)
      if (cached === undefined || !cached.dirty) continue
      const { group, tag, order, ref } = place(cached.row)
      const doc = JSON.stringify(cached.row)
      if (cached.tag === undefined)
        cached.id = Number(this.#insert.run(name, key, group, tag, order, ref, doc).lastInsertRowid)
      else if (cached.tag !== tag || cached.order !== order) this.#move.run(tag, order, doc, cached.id)
      else this.#update.run(doc, cached.id)
      cached.tag = tag
      cached.order = order
      cached.dirty = false
      this.#observer?.wrote(key, cached.row, doc)
    }
    this.#dirty.length = 0
  }
}
