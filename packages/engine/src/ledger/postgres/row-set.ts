import { ALIVE, type Projection, type Rows } from '../projections/index.ts'
import { storedKey } from './names.ts'

/** A row as its table has it. */
export interface StoredRow {
  readonly name: string
  readonly key: string
  readonly group: string
  readonly tag: string
  readonly order: number
  readonly ref: string
  readonly doc: string
}

interface Kept {
  row: object
  readonly group: string
}

/** The rows of one projection in memory: all that a fold may ask for is there before it begins. */
export class RowSet implements Rows<object> {
  readonly #projection: Projection<object>
  readonly #rows = new Map<string, Kept>()
  readonly #groups = new Map<string, Set<string>>()
  /** Of each group, those that are tagged alive: a session may have very many others. */
  readonly #alive = new Map<string, Set<string>>()
  readonly #dirty = new Set<string>()
  readonly #removed = new Set<string>()

  constructor(projection: Projection<object>) {
    this.#projection = projection
  }

  get size(): number {
    return this.#rows.size
  }

  has(key: string): boolean {
    return this.#rows.has(key)
  }

  /** As it is stored. */
  load(key: string, row: object): void {
    this.#put(key, row)
  }

  get(key: string): object | undefined {
    return this.#rows.get(key)?.row
  }

  set(key: string, row: object): void {
    const kept = this.#rows.get(key)
    if (kept === undefined) this.#put(key, row)
    else {
      kept.row = row
      this.#tag(key, kept.group)
    }
    this.#removed.delete(key)
    this.#dirty.add(key)
  }

  remove(key: string): void {
    this.#drop(key)
    this.#dirty.delete(key)
    this.#removed.add(key)
  }

  group(name: string): readonly (readonly [string, object])[] {
    return this.#listed([...(this.#groups.get(name) ?? [])].filter((key) => key !== name))
  }

  alive(name: string): readonly (readonly [string, object])[] {
    return this.#listed([...(this.#alive.get(name) ?? [])])
  }

  /** What changed since it was last asked, as it is to be stored. */
  changes(): { readonly rows: readonly StoredRow[]; readonly removed: readonly string[] } {
    const { name, place } = this.#projection
    const rows = [...this.#dirty].flatMap((key): StoredRow[] => {
      const row = this.get(key)
      if (row === undefined) return []
      const { group, tag, order, ref } = place(row)
      const doc = JSON.stringify(row)
      return [{ name, key: storedKey(key), group: storedKey(group), tag, order, ref, doc }]
    })
    const removed = [...this.#removed].map(storedKey)
    this.#dirty.clear()
    this.#removed.clear()
    return { rows, removed }
  }

  /** Whoever asks for them next reads them anew. */
  forget(key: string): void {
    this.#drop(key)
  }

  forgetGroup(name: string): void {
    for (const key of this.#groups.get(name) ?? []) this.#rows.delete(key)
    this.#groups.delete(name)
    this.#alive.delete(name)
  }

  clear(): void {
    this.#rows.clear()
    this.#groups.clear()
    this.#alive.clear()
    this.#dirty.clear()
    this.#removed.clear()
  }

  #put(key: string, row: object): void {
    const { group } = this.#projection.place(row)
    this.#rows.set(key, { row, group })
    const keys = this.#groups.get(group)
    if (keys === undefined) this.#groups.set(group, new Set([key]))
    else keys.add(key)
    this.#tag(key, group)
  }

  #tag(key: string, group: string): void {
    const row = this.get(key)
    const isAlive = row !== undefined && this.#projection.place(row).tag === ALIVE
    const alive = this.#alive.get(group)
    if (!isAlive) alive?.delete(key)
    else if (alive === undefined) this.#alive.set(group, new Set([key]))
    else alive.add(key)
  }

  #listed(keys: readonly string[]): readonly (readonly [string, object])[] {
    return keys.toSorted().flatMap((key) => {
      const row = this.get(key)
      return row === undefined ? [] : [[key, row] as const]
    })
  }

  #drop(key: string): void {
    const kept = this.#rows.get(key)
    if (kept === undefined) return
    this.#rows.delete(key)
    this.#alive.get(kept.group)?.delete(key)
    const keys = this.#groups.get(kept.group)
    keys?.delete(key)
    if (keys?.size === 0) this.#groups.delete(kept.group)
  }
}
