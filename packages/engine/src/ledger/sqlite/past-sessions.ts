import type { SessionSummary, StoredEvent } from '@panoptes/schema'
import { agentsProjection, rowKey, shownAgent } from '../projections/index.ts'
import { type PackedRow, unpackRows } from './packed-rows.ts'
import { type EventText, ofSession } from './past-events.ts'
import { PastRows } from './past-rows.ts'
import { rowsOfGroup } from './present-rows.ts'
import type { Statements } from './statements.ts'

/** What a replay starts from. */
export interface Checkpoint {
  readonly seq: number
  readonly rows: readonly PackedRow[]
  /** What retention left behind: nothing is known of how it came to be. */
  readonly isBase: boolean
}

/** The sessions of a checkpoint; any other one is looked up, or computed from its own events, when it is met. */
export class PastSessions {
  readonly rows = new PastRows()
  readonly #statements: Statements
  readonly #checkpoint: number
  readonly #ts: number
  readonly #known = new Set<string>()

  /** `ts`: what is stamped later does not count. */
  constructor(statements: Statements, checkpoint: Checkpoint, ts: number) {
    this.#statements = statements
    this.#checkpoint = checkpoint.seq
    this.#ts = ts
    for (const row of checkpoint.rows) {
      this.rows.put(row)
      this.#known.add(row.group)
    }
    for (const session of checkpoint.rows.filter((row) => isAhead(row, ts))) {
      if (checkpoint.isBase) this.#dropLater(session.group)
      else this.#compute(session)
    }
  }

  apply({ seq, group, body }: EventText): void {
    this.#meet(group)
    agentsProjection.apply(this.rows, { ...(JSON.parse(body) as StoredEvent), seq })
  }

  #meet(name: EventText['group']): void {
    const group = rowKey(...name)
    if (this.#known.has(group)) return
    this.#known.add(group)
    const { seq, rows } = this.#lastState(group)
    for (const row of rows) this.rows.put(row)
    for (const each of ofSession(this.#statements, name, seq, this.#checkpoint, this.#ts)) {
      agentsProjection.apply(this.rows, { ...(JSON.parse(each.body) as StoredEvent), seq: each.seq })
    }
  }

  /** The session as it was last written down with nothing that is yet to come. */
  #lastState(group: string): { readonly seq: number; readonly rows: readonly PackedRow[] } {
    const parked = this.#statements
      .of('SELECT seq, rows FROM parked WHERE grp = ? AND seq <= ? ORDER BY seq DESC LIMIT 1')
      .get(group, this.#checkpoint)
    const rows = parked === undefined ? [] : unpackRows(parked.rows as Uint8Array)
    if (parked !== undefined && !rows.some((row) => isAhead(row, this.#ts)))
      return { seq: Number(parked.seq), rows }
    return { seq: 0, rows: rowsOfGroup(this.#statements, 'projection_base', group) }
  }

  /** Something that was already told of the session is yet to come at that time. */
  #compute({ group }: PackedRow): void {
    const row = this.#statements
      .of("SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ?")
      .get(group)
    if (row === undefined) return
    const { source, session_id } = JSON.parse(String(row.doc)) as SessionSummary
    this.rows.forget(group)
    this.#known.delete(group)
    this.#meet([source, session_id])
  }

  /** Of what retention left, who had not begun by then is all that can be told apart. */
  #dropLater(group: string): void {
    for (const [key, row] of this.rows.group(group)) {
      if ((shownAgent(row)?.started_at ?? 0) > this.#ts) this.rows.remove(key)
    }
  }
}

/** The session's own row says when something was last told of it. */
const isAhead = ({ group, key, order }: PackedRow, ts: number): boolean => key === group && order > ts
