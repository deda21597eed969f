import type { StoredEvent } from '@panoptes/schema'
import { COUNTERS_KEY, projections, rowKey } from '../projections/index.ts'
import type { Connection } from './database.ts'
import { keysOf, storedKey } from './names.ts'
import { RowSet, type StoredRow } from './row-set.ts'

export type Table = 'projection_rows' | 'projection_base' | 'projection_next'

/** Agents kept between batches; beyond it the sessions that were told of longest ago are read again when they are needed. */
const MOST_ROWS = 50_000

interface Fields {
  readonly source: string
  readonly session_id: string
  readonly tool?: unknown
}

/** Folds events into rows. What a batch may touch is read before it is folded, in one question, since a fold cannot wait. */
export class Projector {
  readonly #table: Table
  readonly #sets = new Map(projections.map((projection) => [projection.name, new RowSet(projection)]))
  /** Sessions all of whose agents are in memory, or have none; those told of last come last. */
  readonly #groups = new Set<string>()
  /** Rows of other projections that are in memory, or are not there at all. */
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
    for (const projection of projections) projection.apply(this.#set(projection.name), event)
  }

  /** Writes what changed; in the transaction that holds the events. */
  async save(connection: Connection): Promise<void> {
    const changes = [...this.#sets].map(([name, set]) => ({ name, ...set.changes() }))
    const rows = changes.flatMap((each) => each.rows)
    if (rows.length > 0) await connection.run(upsert(this.#table), columnsOf(rows))
    for (const { name, removed } of changes)
      if (removed.length > 0)
        await connection.run(`DELETE FROM ${this.#table} WHERE name = $1 AND key = ANY($2)`, [name, removed])
    this.#evict()
  }

  /** Others told something of these sessions. */
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

  /** After a transaction was rolled back, or the rows were replaced. */
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
      [groups.map(storedKey), names, keys.map(storedKey)],
    )
    for (const { name, key, grp, doc } of found) {
      const names = keysOf(String(name), String(key), String(grp), String(doc))
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

const columnsOf = (rows: readonly StoredRow[]) => [
  rows.map(({ name }) => name),
  rows.map(({ key }) => key),
  rows.map(({ group }) => group),
  rows.map(({ tag }) => tag),
  rows.map(({ order }) => order),
  rows.map(({ ref }) => ref),
  rows.map(({ doc }) => doc),
]
