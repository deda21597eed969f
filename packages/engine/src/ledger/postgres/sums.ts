import { createHash } from 'node:crypto'
import type { Database } from './database.ts'

/** By this events of one seq are told apart; of a forgotten one there is none. */
export const sumAt = (seq: number | 'head.last'): string =>
  `SELECT ${SUM} AS sum FROM events WHERE seq = ${seq} AND ts >= 0`

const SUM = `encode(sha256(convert_to(body, 'UTF8')), 'hex')`

export const sumOf = (body: string): string => createHash('sha256').update(body).digest('hex')

interface Remembered {
  readonly seq: number
  readonly sum: string
  readonly at: number
}

const MOST = 1_000
const APART_MS = 100

/** Where the log was seen to end, so that it is noticed, and how far, when another one goes on in its place. */
export class Sums {
  #seen: Remembered[] = []
  /** What is not remembered ends here. */
  #floor: number

  constructor(last: number) {
    this.#floor = last
  }

  see(seq: number, sum: string): void {
    const at = performance.now()
    if (this.#seen.at(-1)?.seq === seq) return
    const before = this.#seen.at(-2)
    if (before !== undefined && at - before.at < APART_MS) this.#seen.pop()
    this.#seen.push({ seq, sum, at })
    if (this.#seen.length > MOST) this.#floor = this.#seen.shift()?.seq ?? this.#floor
  }

  /** `sum`: of what has this seq now. */
  isOther(seq: number, sum: string | undefined): boolean {
    const newest = this.#seen.at(-1)
    return sum !== undefined && newest?.seq === seq && newest.sum !== sum
  }

  /** Up to where the log is what it was, as far as is remembered; what was seen after it never was. */
  async common({ rows }: Database, last: number): Promise<number> {
    const seqs = this.#seen.map(({ seq }) => seq)
    const found = await rows(
      `SELECT seq, ${SUM} AS sum FROM events WHERE seq = ANY($1) AND seq <= $2 AND ts >= 0`,
      [seqs, last],
    )
    const now = new Map(found.map(({ seq, sum }) => [Number(seq), sum]))
    const same = this.#seen.findLast(({ seq, sum }) => now.get(seq) === sum)
    const to = same?.seq ?? Math.min(last, this.#floor)
    this.#seen = this.#seen.filter(({ seq }) => seq <= to && now.has(seq))
    return to
  }
}
