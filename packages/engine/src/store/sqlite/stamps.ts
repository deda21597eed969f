import { BLOCK, Clock, floorToBlock, lowerMedian, NEWEST, type Reached } from '../past/stamps.ts'
import type { Statements } from './statements.ts'

/** Computes the clock at a later seq. */
export function clockAt(statements: Statements, from: Reached, seq: number): number {
  const blocks = statements
    .of(
      `SELECT group_concat(ts) AS stamps FROM events WHERE seq > ? AND seq <= ? AND ts >= 0 GROUP BY (seq - 1) / ${BLOCK}`,
    )
    .all(floorToBlock(from.seq), floorToBlock(seq))
  return blocks.reduce(
    (clock, { stamps }) => Math.max(clock, lowerMedian(String(stamps).split(',').map(Number))),
    from.clock,
  )
}

/** Returns the clock from a seq on, which then follows the events one after the other. */
export function clockFrom(statements: Statements, from: Reached, seq: number): Clock {
  const block = statements
    .of('SELECT ts FROM events WHERE seq > ? AND seq <= ? AND ts >= 0')
    .all(floorToBlock(seq), seq)
    .map((row) => Number(row.ts))
  return new Clock(clockAt(statements, from, seq), block, seq)
}

/** Returns the time that half of the newest timestamps up to a seq have reached. */
export function newestStamp(statements: Statements, seq: number): number {
  const rows = statements
    .of('SELECT ts FROM events WHERE seq <= ? AND ts >= 0 ORDER BY seq DESC LIMIT ?')
    .all(seq, NEWEST)
  return lowerMedian(rows.map((row) => Number(row.ts)))
}
