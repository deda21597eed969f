import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, reportsFailure } from '@panoptes/schema/reading'
import type { Batch, Written } from '../append-queue.ts'
import type { ChangedAgent } from '../port.ts'
import { ChangedAgents } from './changed-agents.ts'
import { Checkpoints, IN_USE } from './checkpoint.ts'
import { readNumber } from './migrations.ts'
import { Projector } from './projector.ts'

/** Appends events and their projections in one transaction. */
export class Writer {
  readonly db: DatabaseSync
  readonly #changedAgents = new ChangedAgents()
  readonly #rows: EventRows
  readonly #projector: Projector
  readonly #checkpoints: Checkpoints
  readonly #mark: StatementSync
  readonly #checkFiles: () => void
  #last: number

  /** `checkFiles` throws when the files are not those that were opened. Without it nothing is checked. */
  constructor(db: DatabaseSync, checkFiles: () => void = () => undefined) {
    this.db = db
    this.#checkFiles = checkFiles
    this.#rows = new EventRows(db)
    this.#projector = new Projector(db, 'projection_rows', this.#changedAgents)
    this.#checkpoints = new Checkpoints(db, 'projection_rows', IN_USE)
    this.#mark = db.prepare(
      'INSERT INTO marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    )
    this.#last = lastSeq(db)
  }

  get last(): number {
    return this.#last
  }

  /** Stores each batch as an append of its own, all in one commit. If it throws, nothing was stored. */
  append(batches: readonly Batch[]): Written[] {
    const before = this.#last
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const written = batches.map((batch) => this.#write(batch))
      this.#projector.flush()
      this.#checkFiles()
      this.db.exec('COMMIT')
      this.#changedAgents.committed()
      return written
    } catch (error) {
      this.#last = before
      this.#changedAgents.rolledBack()
      this.forgetRows()
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** Collects the agents that appends change from now on, or no longer. */
  watchAgents(isWatched: boolean): void {
    this.#changedAgents.watch(isWatched)
  }

  /** Returns the agents that appends changed since the last call. */
  takeChangedAgents(): readonly ChangedAgent[] {
    return this.#changedAgents.take()
  }

  /** Writes a checkpoint if one is due. If a full disk prevents it, the next one is written instead. */
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

  /** Call this after the rows were replaced from outside. */
  forgetRows(): void {
    this.#projector.reset()
    this.#checkpoints.reset()
  }

  /** Call this after the log lost its beginning. */
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

/** Retention may have dropped every event, and an empty log still knows its last seq. */
export function lastSeq(db: DatabaseSync): number {
  return Math.max(readNumber(db, 'SELECT max(seq) FROM events'), baseSeq(db))
}

export const baseSeq = (db: DatabaseSync): number =>
  readNumber(db, "SELECT value FROM meta WHERE name = 'base_seq'")

/**
 * One statement for this many rows costs clearly less than one for each. Larger statements gain little more.
 */
const ROWS_AT_ONCE = 32

const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?)'

/**
 * Writes events into their table and leaves out known keys. Several rows are written with conflicts ignored,
 * which is faster than naming them. If one was ignored, the rows are written again one by one to find out
 * which.
 */
class EventRows {
  readonly #many: StatementSync
  readonly #one: StatementSync
  readonly #undo: StatementSync

  constructor(db: DatabaseSync) {
    this.#many = db.prepare(`INSERT OR IGNORE ${into(ROWS_AT_ONCE)}`)
    this.#one = db.prepare(`INSERT ${into(1)} ON CONFLICT (key) DO NOTHING`)
    this.#undo = db.prepare('DELETE FROM events WHERE seq >= ?')
  }

  /**
   * Inserts at most `ROWS_AT_ONCE` lines, numbered from `first`. The result has undefined in place of each
   * duplicate.
   */
  insert(lines: readonly string[], first: number): readonly (StoredEvent | undefined)[] {
    const events = lines.map((line) => JSON.parse(line) as StoredEvent)
    return this.#insertAll(events, lines, first) ? events : this.#insertEach(events, lines, first)
  }

  #insertAll(events: readonly StoredEvent[], lines: readonly string[], first: number): boolean {
    if (lines.length < ROWS_AT_ONCE) return false
    const values: (string | number | null)[] = []
    events.forEach((event, i) => {
      event.seq = first + i
      values.push(...eventValues(event, lines[i] ?? ''))
    })
    if (this.#many.run(...values).changes === lines.length) return true
    // Some keys were known, so the numbers of the others have gaps.
    this.#undo.run(first)
    return false
  }

  #insertEach(events: readonly StoredEvent[], lines: readonly string[], first: number) {
    let seq = first
    return events.map((event, i) => {
      event.seq = seq
      if (this.#one.run(...eventValues(event, lines[i] ?? '')).changes === 0) return undefined
      seq += 1
      return event
    })
  }
}

const into = (rows: number): string =>
  `INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body)
   VALUES ${Array<string>(rows).fill(ROW).join(', ')}`

const eventValues = (event: StoredEvent, line: string): readonly (string | number | null)[] => [
  event.seq,
  event.key,
  event.ts,
  event.event,
  event.source,
  event.session_id,
  readAgentId(event) ?? null,
  reportsFailure(event) ? 1 : 0,
  line,
]
