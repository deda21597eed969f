import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { agentOf, saysFailed } from '@panoptes/schema/reading'

/** One statement for so many rows costs clearly less than one for each; beyond, little more is gained. */
export const ROWS_AT_ONCE = 32

const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?)'

/**
 * Writes events into their table, those with a known key left out. Many at once are written or ignored, which is quicker
 * than naming the conflict; if one was ignored, they are written again one by one, and that statement names it.
 */
export class EventRows {
  readonly #many: StatementSync
  readonly #one: StatementSync
  readonly #undo: StatementSync

  constructor(db: DatabaseSync) {
    this.#many = db.prepare(`INSERT OR IGNORE ${into(ROWS_AT_ONCE)}`)
    this.#one = db.prepare(`INSERT ${into(1)} ON CONFLICT (key) DO NOTHING`)
    this.#undo = db.prepare('DELETE FROM events WHERE seq >= ?')
  }

  /** At most `ROWS_AT_ONCE` lines, numbered from `first`; undefined in the place of each that was known. */
  insert(lines: readonly string[], first: number): readonly (StoredEvent | undefined)[] {
    const events = lines.map((line) => JSON.parse(line) as StoredEvent)
    return this.#insertAll(events, lines, first) ? events : this.#insertEach(events, lines, first)
  }

  #insertAll(events: readonly StoredEvent[], lines: readonly string[], first: number): boolean {
    if (lines.length < ROWS_AT_ONCE) return false
    const values: (string | number | null)[] = []
    events.forEach((event, i) => {
      event.seq = first + i
      values.push(...valuesOf(event, lines[i] ?? ''))
    })
    if (this.#many.run(...values).changes === lines.length) return true
    // Some were known, so the numbers of the others have holes.
    this.#undo.run(first)
    return false
  }

  #insertEach(events: readonly StoredEvent[], lines: readonly string[], first: number) {
    let seq = first
    return events.map((event, i) => {
      event.seq = seq
      if (this.#one.run(...valuesOf(event, lines[i] ?? '')).changes === 0) return undefined
      seq += 1
      return event
    })
  }
}

const into = (rows: number): string =>
  `INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body)
   VALUES ${Array<string>(rows).fill(ROW).join(', ')}`

const valuesOf = (event: StoredEvent, line: string): readonly (string | number | null)[] => [
  event.seq,
  event.key,
  event.ts,
  event.event,
  event.source,
  event.session_id,
  agentOf(event) ?? null,
  saysFailed(event) ? 1 : 0,
  line,
]
