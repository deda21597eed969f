import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { agentOf, saysFailed } from '@panoptes/schema/reading'
import { projections } from '../projections/index.ts'
import { numberOf } from './migrations.ts'
import { Projector } from './projector.ts'

/** What became of one batch: where its new events begin, and which of its lines were known already. */
export interface Written {
  readonly first: number
  readonly duplicates: readonly number[]
  readonly last: number
}

/** Appends events and their projections in one transaction. */
export class Writer {
  readonly db: DatabaseSync
  readonly #insert: StatementSync
  readonly #projector: Projector
  #last: number

  constructor(db: DatabaseSync) {
    this.db = db
    this.#insert = db.prepare(
      `INSERT INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    )
    this.#projector = new Projector(db, 'projection_rows', projections)
    this.#last = lastSeq(db)
  }

  get last(): number {
    return this.#last
  }

  /** Each batch is an append of its own, all of them one commit. Throws with nothing stored. */
  append(batches: readonly (readonly string[])[]): Written[] {
    const before = this.#last
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const written = batches.map((lines) => this.#write(lines))
      this.#projector.flush()
      this.db.exec('COMMIT')
      return written
    } catch (error) {
      this.#last = before
      this.#projector.reset()
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** After the rows were replaced from outside. */
  forgetRows(): void {
    this.#projector.reset()
  }

  #write(lines: readonly string[]): Written {
    const first = this.#last + 1
    const duplicates: number[] = []
    lines.forEach((line, i) => {
      const event = JSON.parse(line) as StoredEvent
      event.seq = this.#last + 1
      const { changes } = this.#insert.run(
        event.seq,
        event.key,
        event.ts,
        event.event,
        event.source,
        event.session_id,
        agentOf(event) ?? null,
        saysFailed(event) ? 1 : 0,
        line,
      )
      if (changes === 0) {
        duplicates.push(i)
        return
      }
      this.#last = event.seq
      this.#projector.apply(event)
    })
    return { first, duplicates, last: this.#last }
  }
}

/** An emptied log still knows where it was: retention may have dropped every event. */
export function lastSeq(db: DatabaseSync): number {
  return Math.max(numberOf(db, 'SELECT max(seq) FROM events'), baseSeq(db))
}

export const baseSeq = (db: DatabaseSync): number =>
  numberOf(db, "SELECT value FROM meta WHERE name = 'base_seq'")
