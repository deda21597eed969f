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
  const rows = statements
    .of('SELECT seq, ts FROM events WHERE seq > ? AND seq <= ? ORDER BY seq')
    .all(begun, whole)
  let clock = from.clock
  for (let at = 0; at < rows.length; ) {
    const block = blockOf(rows[at]?.seq)
    const stamps: number[] = []
    for (; at < rows.length && blockOf(rows[at]?.seq) === block; at += 1) stamps.push(Number(rows[at]?.ts))
    clock = Math.max(clock, middleOf(stamps))
  }
  return clock
}

const blockOf = (seq: unknown): number => Math.floor((Number(seq) - 1) / BLOCK)

/** What half of the newest stamps up to a seq have reached. */
export function newestStamp(statements: Statements, seq: number): number {
  const rows = statements
    .of('SELECT ts FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT ?')
    .all(seq, NEWEST)
  return middleOf(rows.map((row) => Number(row.ts)))
}

function middleOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
