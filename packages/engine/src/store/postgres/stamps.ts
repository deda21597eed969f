import { Clock, floorToBlock, lowerMedian, NEWEST, type Reached } from '../past/stamps.ts'
import type { Connection } from './database.ts'

export interface Stamped {
  readonly seq: number
  readonly ts: number
}

/** Computes the clock at a later seq. */
export async function clockAt(connection: Connection, from: Reached, seq: number): Promise<number> {
  const rows = await connection.rows('SELECT seq, ts FROM log WHERE seq > $1 AND seq <= $2 ORDER BY seq', [
    floorToBlock(from.seq),
    seq,
  ])
  return clockOver(
    from,
    rows.map((row) => ({ seq: Number(row.seq), ts: Number(row.ts) })),
    seq,
  )
}

/** Does the same when the timestamps since the beginning of the current block are known. */
export function clockOver(from: Reached, stamps: readonly Stamped[], seq: number): number {
  const clock = new Clock(from.clock, [], floorToBlock(from.seq))
  for (const each of stamps) clock.saw(each.seq, each.ts)
  return clock.at(seq)
}

/** Returns the time that half of the newest timestamps up to a seq have reached. */
export async function newestStamp(connection: Connection, seq: number): Promise<number> {
  const rows = await connection.rows('SELECT ts FROM log WHERE seq <= $1 ORDER BY seq DESC LIMIT $2', [
    seq,
    NEWEST,
  ])
  return lowerMedian(rows.map((row) => Number(row.ts)))
}
