import {
  type AgentsRow,
  ALIVE,
  agentsProjection,
  ENDED,
  type Rows,
  shownAgent,
} from '../projections/index.ts'
import type { PackedRow } from './packed-rows.ts'

/** A row of the past: as text until it is asked for, as a row from then on. */
interface Slot {
  readonly group: string
  readonly packed: PackedRow | undefined
  row: AgentsRow | undefined
}

/** Rows of agents as they were. Most of very many are never looked into, and are passed on as the text they are. */
export class PastRows implements Rows<AgentsRow> {
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
    if (slot === undefined) this.#add(key, { group: placeOf(row).group, packed: undefined, row })
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
    return this.#listed(name, (slot) => tagOf(slot) === ALIVE)
  }

  /** The agents that are alive, or ended at a time or later, as JSON; and the groups they are of. */
  shown(endedFrom: number): { readonly agents: readonly string[]; readonly groups: readonly string[] } {
    const agents: string[] = []
    const groups = new Set<string>()
    for (const key of [...this.#slots.keys()].sort()) {
      const slot = this.#slots.get(key)
      if (slot === undefined) continue
      const { tag, order } = slot.row === undefined ? (slot.packed ?? NOWHERE) : placeOf(slot.row)
      if (tag !== ALIVE && (tag !== ENDED || order < endedFrom)) continue
      agents.push(slot.row === undefined ? shownText(slot.packed?.doc ?? '') : textOf(slot.row))
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
const placeOf = (row: AgentsRow) => agentsProjection.place(row)
const tagOf = (slot: Slot): string =>
  slot.row === undefined ? (slot.packed?.tag ?? '') : placeOf(slot.row).tag

const textOf = (row: AgentsRow): string => JSON.stringify(shownAgent(row))

/** What a row keeps for itself stands at its end, and no text inside JSON can look like its name. */
function shownText(doc: string): string {
  const own = doc.lastIndexOf(',"book":{')
  return own < 0 ? textOf(JSON.parse(doc) as AgentsRow) : `${doc.slice(0, own)}}`
}
