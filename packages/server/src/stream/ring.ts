import type { EventRow } from '@panoptes/engine/ledger'

const MOST_BYTES = 8_388_608

/** The newest rows, shared by every client near the head. */
export class Ring {
  #rows: EventRow[] = []
  #start = 0
  #bytes = 0

  push(rows: readonly EventRow[]): void {
    const first = rows[0]
    const newest = this.#rows.at(-1)
    if (first && newest && first.seq !== newest.seq + 1) this.#clear()
    for (const row of rows) {
      this.#rows.push(row)
      this.#bytes += row.json.length
    }
    while (this.#bytes > MOST_BYTES) {
      this.#bytes -= (this.#rows[this.#start] as EventRow).json.length
      this.#start += 1
    }
    if (this.#start > 1_024 && this.#start > this.#rows.length / 2) {
      this.#rows = this.#rows.slice(this.#start)
      this.#start = 0
    }
  }

  /** Rows after a seq; undefined where the next one is no longer, or not yet, here. */
  after(seq: number, limit: number): readonly EventRow[] | undefined {
    const oldest = this.#rows[this.#start]
    const newest = this.#rows.at(-1)
    if (!oldest || !newest || seq + 1 < oldest.seq || seq >= newest.seq) return undefined
    const from = this.#start + (seq + 1 - oldest.seq)
    return this.#rows.slice(from, from + limit)
  }

  #clear(): void {
    this.#rows = []
    this.#start = 0
    this.#bytes = 0
  }
}
