import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Batch, Written } from '../append-queue.ts'
import { projections } from '../projections/index.ts'
import { Checkpoints, IN_USE } from './checkpoint.ts'
import { EventRows, ROWS_AT_ONCE } from './event-rows.ts'
import { numberOf } from './migrations.ts'
import { Projector } from './projector.ts'

/** Appends events and their projections in one transaction. */
export class Writer {
  readonly db: DatabaseSync
  readonly #rows: EventRows
  readonly #projector: Projector
  readonly #checkpoints: Checkpoints
  readonly #mark: StatementSync
  #last: number

  constructor(db: DatabaseSync) {
    this.db = db
    this.#rows = new EventRows(db)
    this.#projector = new Projector(db, 'projection_rows', projections)
    this.#checkpoints = new Checkpoints(db, 'projection_rows', IN_USE)
    this.#mark = db.prepare(
      'INSERT INTO marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    )
    this.#last = lastSeq(db)
  }

  get last(): number {
    return this.#last
  }

  /** Each batch is an append of its own, all of them one commit. Throws with nothing stored. */
  append(batches: readonly Batch[]): Written[] {
    const before = this.#last
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const written = batches.map((batch) => this.#write(batch))
      this.#projector.flush()
      this.db.exec('COMMIT')
      return written
    } catch (error) {
      this.#last = before
      this.forgetRows()
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** Writes a checkpoint if one is due. A full disk may keep it from being written; the next one will be. */
  checkpoint(): void {
    if (!this.#checkpoints.isDue(this.#last) || this.db.isTransaction) return
    try {
      this.db.exec('BEGIN IMMEDIATE')
      this.#checkpoints.write(this.#last)
      this.db.exec('COMMIT')
    } catch {
      this.#checkpoints.reset()
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
    }
  }

  /** After the rows were replaced from outside. */
  forgetRows(): void {
    this.#projector.reset()
    this.#checkpoints.reset()
  }

  /** After the log lost its beginning. */
  cut(): void {
    this.#checkpoints.cut()
  }

  #write({ lines, marks = {} }: Batch): Written {
    for (const [name, value] of Object.entries(marks)) this.#mark.run(name, value)
    const first = this.#last + 1
    const duplicates: number[] = []
    for (let at = 0; at < lines.length; at += ROWS_AT_ONCE) {
      const stored = this.#rows.insert(lines.slice(at, at + ROWS_AT_ONCE), this.#last + 1)
      stored.forEach((event, i) => {
        if (event === undefined) {
          duplicates.push(at + i)
          return
        }
        this.#last = event.seq
        this.#projector.apply(event)
        this.#checkpoints.saw(event)
      })
    }
    return { first, duplicates, last: this.#last }
  }
}

/** An emptied log still knows where it was: retention may have dropped every event. */
export function lastSeq(db: DatabaseSync): number {
  return Math.max(numberOf(db, 'SELECT max(seq) FROM events'), baseSeq(db))
}

export const baseSeq = (db: DatabaseSync): number =>
  numberOf(db, "SELECT value FROM meta WHERE name = 'base_seq'")
