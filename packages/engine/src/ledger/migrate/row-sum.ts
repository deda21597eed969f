import { hash } from 'node:crypto'
import { withoutNul } from '../postgres/database.ts'

export interface Summed {
  readonly rows: number
  readonly sum: string
}

/** Tells whether two tables hold the same rows, in whatever order they are read and without holding them. */
export class RowSum {
  #rows = 0
  readonly #parts = new Uint32Array(4)

  add(cells: readonly unknown[]): void {
    const digest = hash('sha1', JSON.stringify(cells.map(asKept)), 'buffer')
    for (const at of this.#parts.keys())
      this.#parts[at] = ((this.#parts[at] ?? 0) + digest.readUInt32LE(at * 4)) >>> 0
    this.#rows += 1
  }

  get summed(): Summed {
    const sum = [...this.#parts].map((part) => part.toString(16).padStart(8, '0')).join('')
    return { rows: this.#rows, sum }
  }
}

/** What PostgreSQL keeps of a text: no NUL, and no half of a character. */
const asKept = (cell: unknown): unknown => (typeof cell === 'string' ? withoutNul(cell).toWellFormed() : cell)
