import type { StoredEvent } from '@panoptes/schema'
import {
  type AgentsRow,
  ALIVE,
  agentsProjection,
  ENDED,
  type Rows,
  rowKey,
  toAgent,
  toAgentText,
} from '../projections/index.ts'
import { type Checkpoint, isAhead } from './checkpoint.ts'
import type { PackedRow } from './packed-rows.ts'

export type SessionName = readonly [source: string, session: string]

/** An event as text, with the fields that identify its agent. */
export interface EventText {
  readonly seq: number
  readonly group: SessionName
  readonly body: string
}

/** Stored states of sessions that are not in a checkpoint. */
export interface Parked {
  readonly findName: (group: string) => SessionName | undefined
  /** The last stored state of the session up to a seq, with that seq. */
  readonly readState: (
    group: string,
    upTo: number,
  ) => { readonly seq: number; readonly rows: readonly PackedRow[] } | undefined
  /** Returns the rows that retention left of the session. */
  readonly base: (group: string) => readonly PackedRow[]
  /** Returns the session's own events after one seq and up to another, and up to a time. */
  readonly events: (name: SessionName, after: number, upTo: number, ts: number) => Iterable<EventText>
}

/**
 * The sessions of a checkpoint. Any other session is loaded, or computed from its own events, when an event
 * mentions it.
 */
export class PastSessions {
  readonly rows = new PastRows()
  readonly #parked: Parked
  readonly #checkpoint: number
  readonly #ts: number
  readonly #seen = new Set<string>()

  /** Events stamped later than `ts` do not count. */
  constructor(parked: Parked, checkpoint: Checkpoint, ts: number) {
    this.#parked = parked
    this.#checkpoint = checkpoint.seq
    this.#ts = ts
    for (const row of checkpoint.rows) {
      this.rows.put(row)
      this.#seen.add(row.group)
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
    if (this.#seen.has(group)) return
    this.#seen.add(group)
    const { seq, rows } = this.#lastState(group)
    for (const row of rows) this.rows.put(row)
    for (const each of this.#parked.events(name, seq, this.#checkpoint, this.#ts)) {
      agentsProjection.apply(this.rows, { ...(JSON.parse(each.body) as StoredEvent), seq: each.seq })
    }
  }

  /** Returns the last stored state of the session that includes no event from after the replayed time. */
  #lastState(group: string): { readonly seq: number; readonly rows: readonly PackedRow[] } {
    const parked = this.#parked.readState(group, this.#checkpoint)
    if (parked !== undefined && !parked.rows.some((row) => isAhead(row, this.#ts))) return parked
    return { seq: 0, rows: this.#parked.base(group) }
  }

  /**
   * Computes a session from its events, because its stored state already includes events from after the
   * replayed time.
   */
  #compute({ group }: PackedRow): void {
    const name = this.#parked.findName(group)
    if (name === undefined) return
    this.rows.forget(group)
    this.#seen.delete(group)
    this.#meet(name)
  }

  /**
   * In the rows that retention left, the only later agents that can be recognised are those that had not
   * begun by then.
   */
  #dropLater(group: string): void {
    for (const [key, row] of this.rows.group(group)) {
      if ((toAgent(row)?.started_at ?? 0) > this.#ts) this.rows.remove(key)
    }
  }
}

/** A row of the past is text until somebody reads it, and an object from then on. */
interface Slot {
  readonly group: string
  readonly packed: PackedRow | undefined
  row: AgentsRow | undefined
}

/** The rows of agents at a past time. Most of very many rows are never read and are passed on as text. */
class PastRows implements Rows<AgentsRow> {
  readonly #slots = new Map<string, Slot>()
  readonly #groups = new Map<string, Set<string>>()

  get(key: string): AgentsRow | undefined {
    const slot = this.#slots.get(key)
    if (slot === undefined) return undefined
    slot.row ??= JSON.parse(slot.packed?.doc ?? 'null') as AgentsRow
    return slot.row
  }

  set(key: string, row: AgentsRow): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) this.#add(key, { group: rowPlace(row).group, packed: undefined, row })
    else slot.row = row
  }

  put(packed: PackedRow): void {
    this.#add(packed.key, { group: packed.group, packed, row: undefined })
  }

  remove(key: string): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    this.#slots.delete(key)
    this.#groups.get(slot.group)?.delete(key)
  }

  forget(group: string): void {
    for (const key of this.#groups.get(group) ?? []) this.#slots.delete(key)
    this.#groups.delete(group)
  }

  group(name: string): readonly (readonly [string, AgentsRow])[] {
    return this.#listed(name, () => true)
  }

  alive(name: string): readonly (readonly [string, AgentsRow])[] {
    return this.#listed(name, (slot) => slotTag(slot) === ALIVE)
  }

  /**
   * Returns, as JSON, the agents that are alive or that ended at `endedFrom` or later, and the groups they
   * belong to.
   */
  shown(endedFrom: number): { readonly agents: readonly string[]; readonly groups: readonly string[] } {
    const agents: string[] = []
    const groups = new Set<string>()
    for (const key of [...this.#slots.keys()].sort()) {
      const slot = this.#slots.get(key)
      if (slot === undefined) continue
      const { tag, order } = slot.row === undefined ? (slot.packed ?? NOWHERE) : rowPlace(slot.row)
      if (tag !== ALIVE && (tag !== ENDED || order < endedFrom)) continue
      agents.push(slot.row === undefined ? toAgentText(slot.packed?.doc ?? '') : rowText(slot.row))
      groups.add(slot.group)
    }
    return { agents, groups: [...groups] }
  }

  #add(key: string, slot: Slot): void {
    this.#slots.set(key, slot)
    const keys = this.#groups.get(slot.group)
    if (keys === undefined) this.#groups.set(slot.group, new Set([key]))
    else keys.add(key)
  }

  #listed(name: string, wanted: (slot: Slot) => boolean): readonly (readonly [string, AgentsRow])[] {
    return [...(this.#groups.get(name) ?? [])].sort().flatMap((key) => {
      const slot = this.#slots.get(key)
      const row = slot && wanted(slot) ? this.get(key) : undefined
      return row === undefined ? [] : [[key, row] as const]
    })
  }
}

const NOWHERE = { tag: '', order: 0 }
const rowPlace = (row: AgentsRow) => agentsProjection.place(row)
const slotTag = (slot: Slot): string =>
  slot.row === undefined ? (slot.packed?.tag ?? '') : rowPlace(slot.row).tag

const rowText = (row: AgentsRow): string => JSON.stringify(toAgent(row))
