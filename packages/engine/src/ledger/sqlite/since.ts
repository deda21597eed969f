import type { StoredEvent } from '@panoptes/schema'
import type { Clock, Reached } from '../past/stamps.ts'
import { rowKey } from '../projections/index.ts'
import { clockFrom } from './stamps.ts'
import type { Statements } from './statements.ts'

/** What was told since the last checkpoint. It is gathered as events are stored: to read them all again costs far more. */
export class Since {
  readonly from: Reached
  readonly told: Set<string>
  readonly #clock: Clock
  #isLate: boolean

  /** Up to a seq it is read from the log. */
  constructor(statements: Statements, from: Reached, seq: number) {
    this.from = from
    this.#clock = clockFrom(statements, from, seq)
    this.told = new Set(
      statements
        .of('SELECT DISTINCT source, session_id FROM events WHERE seq > ? AND seq <= ? AND ts >= 0')
        .all(from.seq, seq)
        .map((row) => rowKey(String(row.source), String(row.session_id))),
    )
    this.#isLate = seq > from.seq
  }

  /** The clock at a seq, which is not before the last event. */
  clock(seq: number): number {
    return this.#clock.at(seq)
  }

  /** Whether something may have been told that is stamped before the last checkpoint's clock. */
  get isLate(): boolean {
    return this.#isLate
  }

  saw(event: StoredEvent): void {
    this.#clock.saw(event.seq, event.ts)
    this.told.add(rowKey(event.source, event.session_id))
    if (event.ts < this.from.clock) this.#isLate = true
  }
}
