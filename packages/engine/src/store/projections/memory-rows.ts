import type { Projection, Rows } from './projection.ts'

/** Holds the rows of one projection in memory, for tests and wherever there is no engine. */
export class MemoryRows<Row extends object> implements Rows<Row> {
  readonly #projection: Projection<Row>
  readonly #rows = new Map<string, Row>()
  readonly #groups = new Map<string, Set<string>>()

  constructor(projection: Projection<Row>, rows: Iterable<readonly [string, Row]> = []) {
    this.#projection = projection
    for (const [key, row] of rows) this.set(key, row)
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  set(key: string, row: Row): void {
    if (!this.#rows.has(key)) this.#groupKeys(row).add(key)
    this.#rows.set(key, row)
  }

  remove(key: string): void {
    const row = this.#rows.get(key)
    if (row === undefined) return
    this.#rows.delete(key)
    this.#groupKeys(row).delete(key)
  }

  group(name: string): readonly (readonly [string, Row])[] {
    return this.#listed(this.#groups.get(name) ?? [])
  }

  alive(name: string): readonly (readonly [string, Row])[] {
    return this.group(name).filter(([, row]) => this.#projection.place(row).tag === 'alive')
  }

  entries(): readonly (readonly [string, Row])[] {
    return this.#listed(this.#rows.keys())
  }

  #listed(keys: Iterable<string>): readonly (readonly [string, Row])[] {
    return [...keys].sort().flatMap((key) => {
      const row = this.#rows.get(key)
      return row === undefined ? [] : [[key, row] as const]
    })
  }

  #groupKeys(row: Row): Set<string> {
    const { group } = this.#projection.place(row)
    const existing = this.#groups.get(group)
    if (existing !== undefined) return existing
    const keys = new Set<string>()
    this.#groups.set(group, keys)
    return keys
  }
}
