import type { Statements } from './statements.ts'

/** Stamps are compared in such blocks of the log; a block's time is what half of it has reached. */
const BLOCK = 256
/** So many of the newest stamps tell how late it is, unless the blocks before them know it later. */
const NEWEST = 15

export interface Reached {
  readonly seq: number
  /** The latest time of a block up to the seq. It never goes back, and a few wrong stamps do not move it. */
  readonly clock: number
}

/** The clock at a later seq. */
export function clockAt(statements: Statements, from: Reached, seq: number): number {
  const whole = seq - (seq % BLOCK)
  const begun = from.seq - (from.seq % BLOCK)
  const blocks = statements
    .of(
      `SELECT group_concat(ts) AS stamps FROM events WHERE seq > ? AND seq <= ? AND ts >= 0 GROUP BY (seq - 1) / ${BLOCK}`,
    )
    .all(begun, whole)
  return blocks.reduce(
    (clock, { stamps }) => Math.max(clock, middleOf(String(stamps).split(',').map(Number))),
    from.clock,
  )
}

/** The clock as events are told one after the other. */
export class Clock {
  #clock: number
  /** The stamps of the block under way, and the seq it ends with. */
  #block: number[]
  #end: number

  constructor(statements: Statements, from: Reached, seq: number) {
    this.#clock = clockAt(statements, from, seq)
    this.#block = statements
      .of('SELECT ts FROM events WHERE seq > ? AND seq <= ? AND ts >= 0')
      .all(seq - (seq % BLOCK), seq)
      .map((row) => Number(row.ts))
    this.#end = endOfBlock(seq)
  }

  saw(seq: number, ts: number): void {
    if (seq > this.#end) {
      this.#clock = this.at(seq - 1)
      this.#block = []
      this.#end = endOfBlock(seq)
    }
    this.#block.push(ts)
  }

  /** At a seq that is not before the last event. Only a whole block tells the time. */
  at(seq: number): number {
    return seq < this.#end || this.#block.length === 0
      ? this.#clock
      : Math.max(this.#clock, middleOf(this.#block))
  }
}

const endOfBlock = (seq: number): number => Math.ceil(seq / BLOCK) * BLOCK

/** What half of the newest stamps up to a seq have reached. */
export function newestStamp(statements: Statements, seq: number): number {
  const rows = statements
    .of('SELECT ts FROM events WHERE seq <= ? AND ts >= 0 ORDER BY seq DESC LIMIT ?')
    .all(seq, NEWEST)
  return middleOf(rows.map((row) => Number(row.ts)))
}

function middleOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
