import { createHash } from 'node:crypto'
import type { Database } from './database.ts'

/** Distinguishes events that had the same seq. A forgotten event has no sum. */
export const sumAt = (seq: number | 'head.last'): string =>
  `SELECT ${SUM} AS sum FROM events WHERE seq = ${seq} AND ts >= 0`

const SUM = `encode(sha256(convert_to(body, 'UTF8')), 'hex')`

export const bodyHash = (body: string): string => createHash('sha256').update(body).digest('hex')

interface Remembered {
  readonly seq: number
  readonly sum: string
  readonly at: number
}

const MOST = 1_000
const APART_MS = 100

/**
 * Remembers where the log ended, to detect that other events took the place of known ones, and from which seq
 * on.
 */
export class Sums {
  #seen: Remembered[] = []
  #noted = new Map<number, string>()
  /** Sums below this seq are no longer remembered. */
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

  /** Records a row that came from elsewhere, until the log is checked for it. */
  note(seq: number, sum: string): void {
    if (this.#noted.size < MOST && !this.#noted.has(seq)) this.#noted.set(seq, sum)
  }

  takeNoted(): ReadonlyMap<number, string> {
    const noted = this.#noted
    this.#noted = new Map()
    return noted
  }

  /** Puts rows back that could not be checked. */
  restoreNoted(noted: ReadonlyMap<number, string>): void {
    this.#noted = new Map([...noted, ...this.#noted])
  }

  /** Returns whether the log has another event, or none, in the place of a noted row. */
  async isMissingAny({ rows }: Database, noted: ReadonlyMap<number, string>): Promise<boolean> {
    if (noted.size === 0) return false
    const found = await rows(
      `SELECT seq, CASE WHEN ts >= 0 THEN ${SUM} END AS sum FROM events WHERE seq = ANY($1)`,
      [[...noted.keys()]],
    )
    const now = new Map(found.map(({ seq, sum }) => [Number(seq), sum]))
    // A forgotten event has no sum.
    return [...noted].some(([seq, sum]) => !now.has(seq) || (now.get(seq) !== null && now.get(seq) !== sum))
  }

  /** `sum` is the checksum of the event that has this seq now. */
  isOther(seq: number, sum: string | undefined): boolean {
    const newest = this.#seen.at(-1)
    return sum !== undefined && newest?.seq === seq && newest.sum !== sum
  }

  /**
   * Returns the last seq up to which the log is unchanged, as far as sums are remembered. Rows seen after it
   * no longer exist.
   */
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
