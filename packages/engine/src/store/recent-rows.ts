import type { EventRow } from './port.ts'

const MOST_CHARACTERS = 8_388_608

/** Keeps the newest rows in memory, so that subscribers near the head need not read the file. */
export class RecentRows {
  /** Dropped rows are released at once; their slots are removed when they are the majority. */
  #rows: (EventRow | undefined)[] = []
  #start = 0
  #characters = 0

  push(row: EventRow): void {
    const newest = this.#rows.at(-1)
    if (newest !== undefined && row.seq !== newest.seq + 1) this.clear()
    this.#rows.push(row)
    this.#characters += row.json.length
    while (this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#rows[this.#start]?.json.length ?? 0
      this.#rows[this.#start] = undefined
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
    this.#characters = 0
  }

  /** Returns rows after a seq, or undefined when the next row is no longer, or not yet, in memory. */
  readAfter(seq: number, limit: number): readonly EventRow[] | undefined {
    const oldest = this.#rows[this.#start]
    const newest = this.#rows.at(-1)
    if (!oldest || !newest || seq + 1 < oldest.seq || seq >= newest.seq) return undefined
    const from = this.#start + (seq + 1 - oldest.seq)
    return this.#rows.slice(from, from + limit) as EventRow[]
  }
}
