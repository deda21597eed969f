import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type AgentsRow, CLOSED_SESSION, HIDDEN_SESSION, OPEN_SESSION } from '../projections/index.ts'
import { numberOf } from './migrations.ts'
import type { Table } from './row-set.ts'

/** A seek folds at most about this many events; with very many agents the checkpoints are further apart, to stay smaller than the log. */
const EVERY = 2_000
/** A session that was silent for longer is not in a checkpoint; if it goes on, its own events tell its state. */
const SILENT_MS = 86_400_000
/** Ended agents are still shown for this long, as on the live graph. */
export const RECENT_MS = 600_000

/** Writes down the agents of every open session now and then, so that any past moment is near one. */
export class Checkpoints {
  readonly #db: DatabaseSync
  readonly #rows: Table
  readonly #kept: 'checkpoints' | 'checkpoints_next'
  #next = 0

  constructor(db: DatabaseSync, rows: Table, kept: 'checkpoints' | 'checkpoints_next') {
    this.#db = db
    this.#rows = rows
    this.#kept = kept
    this.reset()
  }

  isDue(seq: number): boolean {
    return seq >= this.#next
  }

  /** The rows have to be written already. */
  write(seq: number, ts: number): void {
    const rows = openRows(this.#db, this.#rows, ts)
    const packed = deflateRawSync(Buffer.from(`[${rows.join(',')}]`), { level: 1 })
    this.#db
      .prepare(`INSERT OR REPLACE INTO ${this.#kept} (seq, ts, rows) VALUES (?, ?, ?)`)
      .run(seq, ts, packed)
    this.#next = seq + Math.max(EVERY, rows.length * 2)
  }

  /** After the rows or the log were replaced from outside, or a transaction was rolled back. */
  reset(): void {
    this.#next = numberOf(this.#db, `SELECT max(seq) FROM ${this.#kept}`) + EVERY
  }
}

function openRows(db: DatabaseSync, table: Table, ts: number): readonly string[] {
  const ofTag = db.prepare(
    `SELECT r.key, r.doc FROM ${table} AS s INDEXED BY ${table}_tag
     CROSS JOIN ${table} AS r INDEXED BY ${table}_key ON r.name = 'agents' AND r.key >= s.key AND r.key < s.key || char(32) AND r.grp = s.grp
     WHERE s.name = 'agents' AND s.tag = ? AND s.ord >= ?`,
  )
  const rows = [
    ...ofTag.all(OPEN_SESSION, ts - SILENT_MS),
    ...ofTag.all(HIDDEN_SESSION, ts - SILENT_MS),
    ...ofTag.all(CLOSED_SESSION, ts - RECENT_MS),
  ]
  return rows.map((row) => `[${JSON.stringify(row.key)},${row.doc}]`)
}

export type KeyedRow = readonly [key: string, row: AgentsRow]

export interface Checkpoint {
  readonly seq: number
  readonly rows: readonly KeyedRow[]
}

/** The last checkpoint up to a seq; before the first one, what retention left as the base. */
export function checkpointBefore(db: DatabaseSync, seq: number, base: number): Checkpoint {
  const found = db
    .prepare('SELECT seq, rows FROM checkpoints WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .get(seq)
  if (found !== undefined) {
    return { seq: Number(found.seq), rows: JSON.parse(inflateRawSync(found.rows as Uint8Array).toString()) }
  }
  const rows = db.prepare("SELECT key, doc FROM projection_base WHERE name = 'agents'").all()
  return { seq: base, rows: rows.map((row) => [String(row.key), JSON.parse(String(row.doc))]) }
}
