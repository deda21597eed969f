import type { StoredEvent } from '@panoptes/schema'
import {
  ALIVE,
  COUNTERS_KEY,
  foldEvent,
  type Projection,
  projections,
  type Rows,
  rowKey,
} from '../projections/index.ts'
import type { Connection } from './database.ts'
import { rowKeys, toStoredKey } from './names.ts'

export type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/**
 * This many agents stay in memory between batches. Beyond that, the least recently active sessions are
 * dropped and read again when needed.
 */
const MOST_ROWS = 50_000

interface Fields {
  readonly source: string
  readonly session_id: string
  readonly tool?: unknown
}

/**
 * Folds events into rows. Everything a batch may touch is read in one query before the fold, because a fold
 * cannot wait.
 */
export class Projector {
  readonly #table: Table
  readonly #sets = new Map(projections.map((projection) => [projection.name, new RowSet(projection)]))
  /** Sessions whose agents are all in memory, or that have none. The most recently active ones come last. */
  readonly #groups = new Set<string>()
  /** Rows of other projections that are in memory or known not to exist. */
  readonly #keys = new Set<string>()

  constructor(table: Table) {
    this.#table = table
  }

  async prepare(connection: Connection, events: readonly Fields[]): Promise<void> {
    const groups = new Set<string>()
    const keys = new Set<string>()
    const need = (name: string, key: string) => {
      const id = `${name} ${key}`
      if (!this.#keys.has(id)) keys.add(id)
    }
    need('counters', COUNTERS_KEY)
    for (const { source, session_id, tool } of events) {
      const group = rowKey(source, session_id)
      if (!this.#groups.delete(group)) groups.add(group)
      else this.#groups.add(group)
      need('sessions', group)
      need('tools', rowKey(source, typeof tool === 'string' ? tool : 'unknown'))
    }
    if (groups.size + keys.size > 0) await this.#load(connection, [...groups], [...keys])
  }

  apply(event: StoredEvent): void {
    foldEvent(({ name }) => this.#set(name), event)
  }

  /** Writes the changed rows within the transaction that stores the events. */
  async save(connection: Connection): Promise<void> {
    const changes = [...this.#sets].map(([name, set]) => ({ name, ...set.changes() }))
    const rows = changes.flatMap((each) => each.rows)
    if (rows.length > 0) await connection.run(upsert(this.#table), rowColumns(rows))
    for (const { name, removed } of changes)
      if (removed.length > 0)
        await connection.run(`DELETE FROM ${this.#table} WHERE name = $1 AND key = ANY($2)`, [name, removed])
    this.#evict()
  }

  /** Drops these sessions from memory, because other processes stored events of them. */
  changedElsewhere(groups: readonly string[]): void {
    for (const group of groups) {
      this.#set('agents').forgetGroup(group)
      this.#groups.delete(group)
      this.#set('sessions').forget(group)
      this.#keys.delete(`sessions ${group}`)
    }
    for (const name of ['counters', 'tools']) {
      this.#set(name).clear()
      for (const id of this.#keys) if (id.startsWith(`${name} `)) this.#keys.delete(id)
    }
  }

  /** Clears the memory after a rollback or after the rows were replaced. */
  reset(): void {
    for (const set of this.#sets.values()) set.clear()
    this.#groups.clear()
    this.#keys.clear()
  }

  #set(name: string): RowSet {
    const set = this.#sets.get(name)
    if (set === undefined) throw new Error(`there is no projection ${name}`)
    return set
  }

  async #load(connection: Connection, groups: readonly string[], ids: readonly string[]): Promise<void> {
    const names = ids.map((id) => id.slice(0, id.indexOf(' ')))
    const keys = ids.map((id) => id.slice(id.indexOf(' ') + 1))
    const found = await connection.rows(
      `SELECT name, key, grp, doc FROM ${this.#table} WHERE name = 'agents' AND grp = ANY($1)
       UNION ALL
       SELECT r.name, r.key, r.grp, r.doc FROM unnest($2::text[], $3::text[]) AS wanted (name, key)
       JOIN ${this.#table} AS r ON r.name = wanted.name AND r.key = wanted.key`,
      [groups.map(toStoredKey), names, keys.map(toStoredKey)],
    )
    for (const { name, key, grp, doc } of found) {
      const names = rowKeys(String(name), String(key), String(grp), String(doc))
      this.#set(String(name)).load(names.key, JSON.parse(String(doc)) as object)
    }
    for (const group of groups) this.#groups.add(group)
    for (const id of ids) this.#keys.add(id)
  }

  #evict(): void {
    const agents = this.#set('agents')
    for (const group of this.#groups) {
      if (agents.size <= MOST_ROWS) break
      agents.forgetGroup(group)
      this.#groups.delete(group)
    }
    if (this.#keys.size <= MOST_ROWS) return
    this.#set('sessions').clear()
    this.#set('tools').clear()
    this.#set('counters').clear()
    this.#keys.clear()
  }
}

const upsert = (table: Table): string =>
  `INSERT INTO ${table} (name, key, grp, tag, ord, ref, doc)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
   ON CONFLICT (name, key) DO UPDATE SET tag = excluded.tag, ord = excluded.ord, doc = excluded.doc`

const rowColumns = (rows: readonly StoredRow[]) => [
  rows.map(({ name }) => name),
  rows.map(({ key }) => key),
  rows.map(({ group }) => group),
  rows.map(({ tag }) => tag),
  rows.map(({ order }) => order),
  rows.map(({ ref }) => ref),
  rows.map(({ doc }) => doc),
]

/** A row as its table stores it. */
interface StoredRow {
  readonly name: string
  readonly key: string
  readonly group: string
  readonly tag: string
  readonly order: number
  readonly ref: string
  readonly doc: string
}

interface CachedRow {
  row: object
  readonly group: string
}

/** The rows of one projection in memory. Everything a fold may ask for is loaded before it begins. */
class RowSet implements Rows<object> {
  readonly #projection: Projection<object>
  readonly #rows = new Map<string, CachedRow>()
  readonly #groups = new Map<string, Set<string>>()
  /** The living rows of each group, since a session may have very many others. */
  readonly #alive = new Map<string, Set<string>>()
  readonly #dirty = new Set<string>()
  readonly #removed = new Set<string>()

  constructor(projection: Projection<object>) {
    this.#projection = projection
  }

  get size(): number {
    return this.#rows.size
  }

  has(key: string): boolean {
    return this.#rows.has(key)
  }

  /** Adds a row as it is stored. */
  load(key: string, row: object): void {
    this.#put(key, row)
  }

  get(key: string): object | undefined {
    return this.#rows.get(key)?.row
  }

  set(key: string, row: object): void {
    const cached = this.#rows.get(key)
    if (cached === undefined) this.#put(key, row)
    else {
      cached.row = row
      this.#tag(key, cached.group)
    }
    this.#removed.delete(key)
    this.#dirty.add(key)
  }

  remove(key: string): void {
    this.#drop(key)
    this.#dirty.delete(key)
    this.#removed.add(key)
  }

  group(name: string): readonly (readonly [string, object])[] {
    return this.#listed([...(this.#groups.get(name) ?? [])].filter((key) => key !== name))
  }

  alive(name: string): readonly (readonly [string, object])[] {
    return this.#listed([...(this.#alive.get(name) ?? [])])
  }

  /** Returns the changes since the last call, in the form in which they are stored. */
  changes(): { readonly rows: readonly StoredRow[]; readonly removed: readonly string[] } {
    const { name, place } = this.#projection
    const rows = [...this.#dirty].flatMap((key): StoredRow[] => {
      const row = this.get(key)
      if (row === undefined) return []
      const { group, tag, order, ref } = place(row)
      const doc = JSON.stringify(row)
      return [{ name, key: toStoredKey(key), group: toStoredKey(group), tag, order, ref, doc }]
    })
    const removed = [...this.#removed].map(toStoredKey)
    this.#dirty.clear()
    this.#removed.clear()
    return { rows, removed }
  }

  /** Drops a row, so that the next reader loads it again. */
  forget(key: string): void {
    this.#drop(key)
  }

  forgetGroup(name: string): void {
    for (const key of this.#groups.get(name) ?? []) this.#rows.delete(key)
    this.#groups.delete(name)
    this.#alive.delete(name)
  }

  clear(): void {
    this.#rows.clear()
    this.#groups.clear()
    this.#alive.clear()
    this.#dirty.clear()
    this.#removed.clear()
  }

  #put(key: string, row: object): void {
    const { group } = this.#projection.place(row)
    this.#rows.set(key, { row, group })
    const keys = this.#groups.get(group)
    if (keys === undefined) this.#groups.set(group, new Set([key]))
    else keys.add(key)
    this.#tag(key, group)
  }

  #tag(key: string, group: string): void {
    const row = this.get(key)
    const isAlive = row !== undefined && this.#projection.place(row).tag === ALIVE
    const alive = this.#alive.get(group)
    if (!isAlive) alive?.delete(key)
    else if (alive === undefined) this.#alive.set(group, new Set([key]))
    else alive.add(key)
  }

  #listed(keys: readonly string[]): readonly (readonly [string, object])[] {
    return keys.toSorted().flatMap((key) => {
      const row = this.get(key)
      return row === undefined ? [] : [[key, row] as const]
    })
  }

  #drop(key: string): void {
    const cached = this.#rows.get(key)
    if (cached === undefined) return
    this.#rows.delete(key)
    this.#alive.get(cached.group)?.delete(key)
    const keys = this.#groups.get(cached.group)
    keys?.delete(key)
    if (keys?.size === 0) this.#groups.delete(cached.group)
  }
}
