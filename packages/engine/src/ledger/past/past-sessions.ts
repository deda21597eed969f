import type { StoredEvent } from '@panoptes/schema'
import { agentsProjection, rowKey, shownAgent } from '../projections/index.ts'
import { type Checkpoint, isAhead } from './checkpoint.ts'
import type { PackedRow } from './packed-rows.ts'
import { PastRows } from './past-rows.ts'

export type SessionName = readonly [source: string, session: string]

/** An event as text, with what tells whose it is. */
export interface EventText {
  readonly seq: number
  readonly group: SessionName
  readonly body: string
}

/** What was written down of sessions that are in no checkpoint. */
export interface Parked {
  readonly nameOf: (group: string) => SessionName | undefined
  /** The session as it was last written down up to a seq, with the seq. */
  readonly parked: (
    group: string,
    upTo: number,
  ) => { readonly seq: number; readonly rows: readonly PackedRow[] } | undefined
  /** What retention left of it. */
  readonly base: (group: string) => readonly PackedRow[]
  /** Its own events after one seq and up to another, and up to a time. */
  readonly events: (name: SessionName, after: number, upTo: number, ts: number) => Iterable<EventText>
}

/** The sessions of a checkpoint; any other one is looked up, or computed from its own events, when it is met. */
export class PastSessions {
  readonly rows = new PastRows()
  readonly #parked: Parked
  readonly #checkpoint: number
  readonly #ts: number
  readonly #known = new Set<string>()

  /** `ts`: what is stamped later does not count. */
  constructor(parked: Parked, checkpoint: Checkpoint, ts: number) {
    this.#parked = parked
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

  #meet(name: SessionName): void {
    const group = rowKey(...name)
    if (this.#known.has(group)) return
    this.#known.add(group)
    const { seq, rows } = this.#lastState(group)
    for (const row of rows) this.rows.put(row)
    for (const each of this.#parked.events(name, seq, this.#checkpoint, this.#ts)) {
      agentsProjection.apply(this.rows, { ...(JSON.parse(each.body) as StoredEvent), seq: each.seq })
    }
  }

  /** The session as it was last written down with nothing that is yet to come. */
  #lastState(group: string): { readonly seq: number; readonly rows: readonly PackedRow[] } {
    const parked = this.#parked.parked(group, this.#checkpoint)
    if (parked !== undefined && !parked.rows.some((row) => isAhead(row, this.#ts))) return parked
    return { seq: 0, rows: this.#parked.base(group) }
  }

  /** Something that was already told of the session is yet to come at that time. */
  #compute({ group }: PackedRow): void {
    const name = this.#parked.nameOf(group)
    if (name === undefined) return
    this.rows.forget(group)
    this.#known.delete(group)
    this.#meet(name)
  }

  /** Of what retention left, who had not begun by then is all that can be told apart. */
  #dropLater(group: string): void {
    for (const [key, row] of this.rows.group(group)) {
      if ((shownAgent(row)?.started_at ?? 0) > this.#ts) this.rows.remove(key)
    }
  }
}
