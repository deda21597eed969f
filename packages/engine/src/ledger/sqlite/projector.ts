import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import type { Projection } from '../projections/index.ts'

/** Rows kept between transactions; beyond it the oldest are read again when they are needed. */
const MOST_ROWS = 20_000

type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/** Keeps projection rows in one table: applies events to rows in memory and writes each changed row once. */
export class Projector {
  readonly #projections: readonly Projection<object>[]
  readonly #rows: Map<string, object>[]
  readonly #dirty: Set<string>[]
  readonly #load: StatementSync
  readonly #group: StatementSync
  readonly #save: StatementSync

  constructor(db: DatabaseSync, table: Table, projections: readonly Projection<object>[]) {
    this.#projections = projections
    this.#rows = projections.map(() => new Map())
    this.#dirty = projections.map(() => new Set())
    this.#load = db.prepare(`SELECT doc FROM ${table} WHERE name = ? AND key = ?`)
    this.#group = db.prepare(`SELECT key FROM ${table} WHERE name = ? AND grp = ? ORDER BY key`)
    this.#save = db.prepare(
      `INSERT INTO ${table} (name, key, grp, tag, ord, ref, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (name, key) DO UPDATE SET grp = excluded.grp, tag = excluded.tag, ord = excluded.ord, ref = excluded.ref, doc = excluded.doc`,
    )
  }

  apply(event: StoredEvent): void {
    for (let i = 0; i < this.#projections.length; i += 1) {
      const projection = this.#projections[i]
      if (projection === undefined) continue
      for (const key of projection.keys(event)) this.#change(i, projection, key, event)
      const group = projection.group?.(event)
      if (group === undefined) continue
      for (const key of this.#groupKeys(i, projection, group)) this.#change(i, projection, key, event)
    }
  }

  /** Writes the changed rows; call it inside the transaction that holds their events. */
  flush(): void {
    this.#projections.forEach((projection, i) => {
      for (const key of this.#dirty[i] ?? []) {
        const row = this.#rows[i]?.get(key)
        if (row === undefined) continue
        const place = projection.place(row)
        this.#save.run(
          projection.name,
          key,
          place.group,
          place.tag,
          place.order,
          place.ref,
          JSON.stringify(row),
        )
      }
      this.#dirty[i]?.clear()
      this.#forget(i)
    })
  }

  /** Forgets everything in memory: after a rolled-back transaction the table alone is right. */
  reset(): void {
    for (const rows of this.#rows) rows.clear()
    for (const keys of this.#dirty) keys.clear()
  }

  #change(i: number, projection: Projection<object>, key: string, event: StoredEvent): void {
    const rows = this.#rows[i]
    if (rows === undefined) return
    const row = projection.apply(rows.get(key) ?? this.#read(projection.name, key), event)
    rows.set(key, row)
    this.#dirty[i]?.add(key)
  }

  #read(name: string, key: string): object | undefined {
    const found = this.#load.get(name, key)
    return found === undefined ? undefined : JSON.parse(String(found.doc))
  }

  /** A group is its rows in the table and those of this transaction that are not there yet. */
  #groupKeys(i: number, projection: Projection<object>, group: string): ReadonlySet<string> {
    const keys = new Set(this.#group.all(projection.name, group).map((row) => String(row.key)))
    for (const key of this.#dirty[i] ?? []) {
      const row = this.#rows[i]?.get(key)
      if (row !== undefined && projection.place(row).group === group) keys.add(key)
    }
    return keys
  }

  #forget(i: number): void {
    const rows = this.#rows[i]
    if (rows === undefined || rows.size <= MOST_ROWS) return
    const surplus = rows.size - MOST_ROWS / 2
    let n = 0
    for (const key of rows.keys()) {
      if (n >= surplus) return
      rows.delete(key)
      n += 1
    }
  }
}
