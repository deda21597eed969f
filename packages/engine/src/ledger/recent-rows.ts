import type { EventRow } from './port.ts'

const MOST_CHARACTERS = 8_388_608

/** The newest rows, kept in memory so that whoever is near the head need not ask the file. */
export class RecentRows {
  /** What no longer counts is let go of at once; its places go when they are the greater part. */
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

  /** Rows after a seq; undefined where the next one is no longer, or not yet, here. */
  after(seq: number, limit: number): readonly EventRow[] | undefined {
    const oldest = this.#rows[this.#start]
    const newest = this.#rows.at(-1)
    if (!oldest || !newest || seq + 1 < oldest.seq || seq >= newest.seq) return undefined
    const from = this.#start + (seq + 1 - oldest.seq)
    return this.#rows.slice(from, from + limit) as EventRow[]
  }
}
