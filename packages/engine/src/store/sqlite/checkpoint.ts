import type { DatabaseSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { CHECKPOINT_EVERY, RECENT_MS } from '../past/checkpoint.ts'
import { packRows, unpackRows } from '../past/packed-rows.ts'
import type { Clock, Reached } from '../past/stamps.ts'
import { rowKey } from '../projections/index.ts'
import { readNumber } from './migrations.ts'
import { presentRows, rowsOfGroup } from './present-rows.ts'
import type { Table } from './row-set.ts'
import { clockFrom, newestStamp } from './stamps.ts'
import { Statements } from './statements.ts'

/** The tables that hold checkpoints. A rebuild fills new ones beside those in use. */
export interface CheckpointTables {
  readonly checkpoints: 'checkpoints' | 'checkpoints_next'
  readonly parked: 'parked' | 'parked_next'
  readonly late: 'late' | 'late_next'
}

export const IN_USE: CheckpointTables = { checkpoints: 'checkpoints', parked: 'parked', late: 'late' }
export const NEXT: CheckpointTables = {
  checkpoints: 'checkpoints_next',
  parked: 'parked_next',
  late: 'late_next',
}

/** Stores the state of all agents at intervals, so that every past moment is near a checkpoint. */
export class Checkpoints {
  readonly #db: DatabaseSync
  readonly #statements: Statements
  readonly #table: Table
  readonly #tables: CheckpointTables
  #next = 0
  /** The sessions of the last checkpoint, or undefined until they are needed. */
  #present: ReadonlySet<string> | undefined
  /** This is undefined until an event arrives. */
  #since: Since | undefined

  constructor(db: DatabaseSync, table: Table, tables: CheckpointTables) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#table = table
    this.#tables = tables
    this.reset()
  }

  isDue(seq: number): boolean {
    return seq >= this.#next
  }

  /** Call this for every event once it is in the log. */
  saw(event: StoredEvent): void {
    this.#since ??= new Since(this.#statements, this.#last(), event.seq - 1)
    this.#since.saw(event)
  }

  /** The rows must already be written, so call this inside a transaction. */
  write(seq: number): void {
    const since = this.#since ?? new Since(this.#statements, this.#last(), seq)
    const { from: last } = since
    const clock = since.clock(seq)
    const ts = Math.max(clock, newestStamp(this.#statements, seq))
    const present = new Set<string>()
    let count = 0
    const rows = presentRows(this.#statements, this.#table, { endedFrom: clock - RECENT_MS, after: ts })
    const countRows = function* () {
      for (const row of rows) {
        present.add(row.group)
        count += 1
        yield row
      }
    }
    const packed = packRows(countRows())
    this.#statements
      .of(`INSERT OR REPLACE INTO ${this.#tables.checkpoints} (seq, ts, clock, rows) VALUES (?, ?, ?, ?)`)
      .run(seq, ts, clock, packed)
    if (since.isLate)
      this.#statements
        .of(
          `INSERT INTO ${this.#tables.late} SELECT seq, ts FROM events WHERE seq > ? AND seq <= ? AND ts >= 0 AND ts < ?`,
        )
        .run(last.seq, seq, last.clock)
    this.#park(since, seq, present)
    this.#since = undefined
    this.#next = seq + Math.max(CHECKPOINT_EVERY, 2 * count)
  }

  /** Call this after the log lost its beginning. */
  cut(): void {
    this.#since = undefined
  }

  /** Call this after rows or log were replaced from outside, or after a rollback. */
  reset(): void {
    this.#present = undefined
    this.#since = undefined
    this.#next = readNumber(this.#db, `SELECT max(seq) FROM ${this.#tables.checkpoints}`) + CHECKPOINT_EVERY
  }

  /**
   * Stores a session once when it leaves the checkpoints, and again whenever it received events and is still
   * in none. So the newest such state is the session's state until a checkpoint contains it again.
   */
  #park({ from, changed }: Since, seq: number, present: ReadonlySet<string>): void {
    const park = this.#statements.of(`INSERT INTO ${this.#tables.parked} (grp, seq, rows) VALUES (?, ?, ?)`)
    const before = this.#present ?? this.#sessionsAt(from.seq)
    for (const group of new Set([...before, ...changed])) {
      if (!present.has(group))
        park.run(group, seq, packRows(rowsOfGroup(this.#statements, this.#table, group)))
    }
    this.#present = present
  }

  #last(): Reached {
    const found = this.#statements
      .of(`SELECT seq, clock FROM ${this.#tables.checkpoints} ORDER BY seq DESC LIMIT 1`)
      .get()
    if (found === undefined) return { seq: this.#statements.base(), clock: 0 }
    return { seq: Number(found.seq), clock: Number(found.clock) }
  }

  #sessionsAt(seq: number): ReadonlySet<string> {
    const found = this.#statements.of(`SELECT rows FROM ${this.#tables.checkpoints} WHERE seq = ?`).get(seq)
    if (found === undefined) return new Set()
    return new Set(unpackRows(found.rows as Uint8Array).map(({ group }) => group))
  }
}

/**
 * Collects the events since the last checkpoint as they are stored, because reading them all again costs far
 * more.
 */
class Since {
  readonly from: Reached
  readonly changed: Set<string>
  readonly #clock: Clock
  #isLate: boolean

  /** Events up to `seq` are read from the log. */
  constructor(statements: Statements, from: Reached, seq: number) {
    this.from = from
    this.#clock = clockFrom(statements, from, seq)
    this.changed = new Set(
      statements
        .of('SELECT DISTINCT source, session_id FROM events WHERE seq > ? AND seq <= ? AND ts >= 0')
        .all(from.seq, seq)
        .map((row) => rowKey(String(row.source), String(row.session_id))),
    )
    this.#isLate = seq > from.seq
  }

  /** Returns the clock at a seq that is not before the last event. */
  clock(seq: number): number {
    return this.#clock.at(seq)
  }

  /** Returns whether events may have arrived that are stamped before the last checkpoint's clock. */
  get isLate(): boolean {
    return this.#isLate
  }

  saw(event: StoredEvent): void {
    this.#clock.saw(event.seq, event.ts)
    this.changed.add(rowKey(event.source, event.session_id))
    if (event.ts < this.from.clock) this.#isLate = true
  }
}
