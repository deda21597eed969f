import type { EventRow } from '../port.ts'

const MOST_BYTES = 8_388_608

/** The newest rows, kept in memory so that subscribers at the tail need not ask the file. */
export class Recent {
  #rows: EventRow[] = []
  #start = 0
  #bytes = 0

  push(row: EventRow): void {
    if (this.#rows.length > this.#start && row.seq !== this.#newest() + 1) this.clear()
    this.#rows.push(row)
    this.#bytes += row.json.length
    while (this.#bytes > MOST_BYTES) {
      this.#bytes -= this.#rows[this.#start]?.json.length ?? 0
      this.#start += 1
    }
    if (this.#start > 1_024 && this.#start > this.#rows.length / 2) {
      this.#rows = this.#rows.slice(this.#start)
      this.#start = 0
    }
  }

  clear(): void {
    this.#rows = []
    this.#start = 0
    this.#bytes = 0
  }

  /** The rows after a seq, or undefined where they are no longer all here. */
  after(seq: number, limit: number): readonly EventRow[] | undefined {
    const oldest = this.#rows[this.#start]
    if (oldest === undefined || seq + 1 < oldest.seq) return undefined
    const from = this.#start + (seq + 1 - oldest.seq)
    return this.#rows.slice(from, from + limit)
  }

  #newest(): number {
    return this.#rows.at(-1)?.seq ?? 0
  }
}
