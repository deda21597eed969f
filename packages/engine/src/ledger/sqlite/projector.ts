import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import type { Projection } from '../projections/index.ts'
import { aliveOfGroup } from './row-queries.ts'

/** Rows kept between transactions; beyond it the oldest are read again when they are needed. */
const MOST_ROWS = 20_000

type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/** A row in memory, with its id, tag and order in the table; no tag while it is not there yet. */
interface Kept {
  row: object
  id: number
  tag: string | undefined
  order: number
  dirty: boolean
}

/** The rows of one projection. */
interface Shelf {
  readonly projection: Projection<object>
  readonly rows: Map<string, Kept>
  readonly dirty: string[]
}

/** Keeps projection rows in one table: applies events to rows in memory and writes each changed row once. */
export class Projector {
  readonly #shelves: readonly Shelf[]
  readonly #load: StatementSync
  readonly #alive: StatementSync
  readonly #insert: StatementSync
  readonly #move: StatementSync
  readonly #update: StatementSync

  constructor(db: DatabaseSync, table: Table, projections: readonly Projection<object>[]) {
    this.#shelves = projections.map((projection) => ({ projection, rows: new Map(), dirty: [] }))
    this.#load = db.prepare(
      `SELECT rowid AS id, tag, ord, doc FROM ${table} INDEXED BY ${table}_key WHERE name = ? AND key = ?`,
    )
    this.#alive = db.prepare(aliveOfGroup(table))
    this.#insert = db.prepare(
      `INSERT INTO ${table} (name, key, grp, tag, ord, ref, doc) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    // Most changes leave the place as it is; naming only what changes spares the indexes.
    this.#move = db.prepare(`UPDATE ${table} SET tag = ?, ord = ?, doc = ? WHERE rowid = ?`)
    this.#update = db.prepare(`UPDATE ${table} SET doc = ? WHERE rowid = ?`)
  }

  apply(event: StoredEvent): void {
    for (const shelf of this.#shelves) {
      const { projection } = shelf
      const key = projection.key(event)
      if (key !== undefined) this.#change(shelf, key, event)
      const group = projection.group?.(event)
      if (group === undefined) continue
      this.#save(shelf)
      for (const row of this.#alive.all(projection.name, group)) this.#change(shelf, String(row.key), event)
    }
  }

  /** Writes the changed rows; call it inside the transaction that holds their events. */
  flush(): void {
    for (const shelf of this.#shelves) {
      this.#save(shelf)
      forget(shelf.rows)
    }
  }

  /** Forgets everything in memory: after a rolled-back transaction the table alone is right. */
  reset(): void {
    for (const { rows, dirty } of this.#shelves) {
      rows.clear()
      dirty.length = 0
    }
  }

  #change({ projection, rows, dirty }: Shelf, key: string, event: StoredEvent): void {
    let kept = rows.get(key) ?? this.#read(projection.name, key)
    if (kept === undefined) {
      kept = { row: projection.apply(undefined, event), id: 0, tag: undefined, order: 0, dirty: false }
      rows.set(key, kept)
    } else {
      kept.row = projection.apply(kept.row, event)
      if (!kept.dirty) rows.set(key, kept)
    }
    if (kept.dirty) return
    kept.dirty = true
    dirty.push(key)
  }

  #save({ projection, rows, dirty }: Shelf): void {
    for (const key of dirty) {
      const kept = rows.get(key)
      if (kept === undefined) continue
      const { name } = projection
      const { group, tag, order, ref } = projection.place(kept.row)
      const doc = JSON.stringify(kept.row)
      if (kept.tag === undefined)
        kept.id = Number(this.#insert.run(name, key, group, tag, order, ref, doc).lastInsertRowid)
      else if (kept.tag !== tag || kept.order !== order) this.#move.run(tag, order, doc, kept.id)
      else this.#update.run(doc, kept.id)
      kept.tag = tag
      kept.order = order
      kept.dirty = false
    }
    dirty.length = 0
  }

  #read(name: string, key: string): Kept | undefined {
    const found = this.#load.get(name, key)
    if (found === undefined) return undefined
    return {
      row: JSON.parse(String(found.doc)),
      id: Number(found.id),
      tag: String(found.tag),
      order: Number(found.ord),
      dirty: false,
    }
  }
}

function forget(rows: Map<string, Kept>): void {
  if (rows.size <= MOST_ROWS) return
  const surplus = rows.size - MOST_ROWS / 2
  let n = 0
  for (const key of rows.keys()) {
    if (n >= surplus) return
    rows.delete(key)
    n += 1
  }
}
