import type { Projection, Rows } from './projection.ts'

/** Rows of one projection in memory alone: for replay, and for tests. */
export class MemoryRows<Row extends object> implements Rows<Row> {
  readonly #projection: Projection<Row>
  readonly #rows: Map<string, Row>

  constructor(projection: Projection<Row>, rows: Iterable<readonly [string, Row]> = []) {
    this.#projection = projection
    this.#rows = new Map(rows)
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  set(key: string, row: Row): void {
    this.#rows.set(key, row)
  }

  remove(key: string): void {
    this.#rows.delete(key)
  }

  group(name: string): readonly (readonly [string, Row])[] {
    return [...this.#rows].filter(([, row]) => this.#projection.place(row).group === name).sort(byKey)
  }

  alive(name: string): readonly (readonly [string, Row])[] {
    return this.group(name).filter(([, row]) => this.#projection.place(row).tag === 'alive')
  }

  entries(): readonly (readonly [string, Row])[] {
    return [...this.#rows].sort(byKey)
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0
