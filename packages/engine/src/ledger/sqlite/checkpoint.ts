import type { DatabaseSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { CHECKPOINT_EVERY, RECENT_MS } from '../past/checkpoint.ts'
import { packRows, unpackRows } from '../past/packed-rows.ts'
import type { Reached } from '../past/stamps.ts'
import { numberOf } from './migrations.ts'
import { presentRows, rowsOfGroup } from './present-rows.ts'
import type { Table } from './row-set.ts'
import { Since } from './since.ts'
import { newestStamp } from './stamps.ts'
import { Statements } from './statements.ts'

/** Where checkpoints are kept: a rebuild makes new ones beside those in use. */
export interface Kept {
  readonly checkpoints: 'checkpoints' | 'checkpoints_next'
  readonly parked: 'parked' | 'parked_next'
  readonly late: 'late' | 'late_next'
}

export const IN_USE: Kept = { checkpoints: 'checkpoints', parked: 'parked', late: 'late' }
export const NEXT: Kept = { checkpoints: 'checkpoints_next', parked: 'parked_next', late: 'late_next' }

/** Writes down now and then who is there, so that any past moment is near a checkpoint. */
export class Checkpoints {
  readonly #db: DatabaseSync
  readonly #statements: Statements
  readonly #table: Table
  readonly #kept: Kept
  #next = 0
  /** The sessions of the last checkpoint; unknown until it is needed. */
  #present: ReadonlySet<string> | undefined
  /** Unknown until something is told. */
  #since: Since | undefined

  constructor(db: DatabaseSync, table: Table, kept: Kept) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#table = table
    this.#kept = kept
    this.reset()
  }

  isDue(seq: number): boolean {
    return seq >= this.#next
  }

  /** Every event, when it is in the log. */
  saw(event: StoredEvent): void {
    this.#since ??= new Since(this.#statements, this.#last(), event.seq - 1)
    this.#since.saw(event)
  }

  /** The rows have to be written already. Call it inside a transaction. */
  write(seq: number): void {
    const since = this.#since ?? new Since(this.#statements, this.#last(), seq)
    const { from: last } = since
    const clock = since.clock(seq)
    const ts = Math.max(clock, newestStamp(this.#statements, seq))
    const present = new Set<string>()
    let count = 0
    const rows = presentRows(this.#statements, this.#table, { endedFrom: clock - RECENT_MS, after: ts })
    const counted = function* () {
      for (const row of rows) {
        present.add(row.group)
        count += 1
        yield row
      }
    }
    const packed = packRows(counted())
    this.#statements
      .of(`INSERT OR REPLACE INTO ${this.#kept.checkpoints} (seq, ts, clock, rows) VALUES (?, ?, ?, ?)`)
      .run(seq, ts, clock, packed)
    if (since.isLate)
      this.#statements
        .of(
          `INSERT INTO ${this.#kept.late} SELECT seq, ts FROM events WHERE seq > ? AND seq <= ? AND ts >= 0 AND ts < ?`,
        )
        .run(last.seq, seq, last.clock)
    this.#park(since, seq, present)
    this.#since = undefined
    this.#next = seq + Math.max(CHECKPOINT_EVERY, 2 * count)
  }

  /** After the log lost its beginning. */
  cut(): void {
    this.#since = undefined
  }

  /** After the rows or the log were replaced from outside, or a transaction was rolled back. */
  reset(): void {
    this.#present = undefined
    this.#since = undefined
    this.#next = numberOf(this.#db, `SELECT max(seq) FROM ${this.#kept.checkpoints}`) + CHECKPOINT_EVERY
  }

  /**
   * A session that is in no checkpoint any more is written down once, as it is then, and again whenever something was told of it
   * and it is still in none. So its newest such state is its state, until it is in a checkpoint again.
   */
  #park({ from, told }: Since, seq: number, present: ReadonlySet<string>): void {
    const park = this.#statements.of(`INSERT INTO ${this.#kept.parked} (grp, seq, rows) VALUES (?, ?, ?)`)
    const before = this.#present ?? this.#sessionsAt(from.seq)
    for (const group of new Set([...before, ...told])) {
      if (!present.has(group))
        park.run(group, seq, packRows(rowsOfGroup(this.#statements, this.#table, group)))
    }
    this.#present = present
  }

  #last(): Reached {
    const found = this.#statements
      .of(`SELECT seq, clock FROM ${this.#kept.checkpoints} ORDER BY seq DESC LIMIT 1`)
      .get()
    if (found === undefined) return { seq: this.#statements.base(), clock: 0 }
    return { seq: Number(found.seq), clock: Number(found.clock) }
  }

  #sessionsAt(seq: number): ReadonlySet<string> {
    const found = this.#statements.of(`SELECT rows FROM ${this.#kept.checkpoints} WHERE seq = ?`).get(seq)
    if (found === undefined) return new Set()
    return new Set(unpackRows(found.rows as Uint8Array).map(({ group }) => group))
  }
}
