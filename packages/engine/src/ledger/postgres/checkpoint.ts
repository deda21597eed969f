import { CHECKPOINT_EVERY, RECENT_MS } from '../past/checkpoint.ts'
import { packRows, unpackRows } from '../past/packed-rows.ts'
import { type Reached, wholeBlocks } from '../past/stamps.ts'
import { rowKey } from '../projections/index.ts'
import { type Connection, type Database, SNAPSHOT, within } from './database.ts'
import { LOCKS, unlessTaken } from './locks.ts'
import { storedKey } from './names.ts'
import { presentRows, rowsOfGroups } from './present-rows.ts'
import type { Table } from './projector.ts'
import { clockOver, newestStamp } from './stamps.ts'

/** Where checkpoints are kept: a rebuild makes new ones beside those in use. */
export interface Kept {
  readonly table: Table
  readonly suffix: '' | '_next'
}

export const IN_USE: Kept = { table: 'projection_rows', suffix: '' }
export const NEXT: Kept = { table: 'projection_next', suffix: '_next' }

interface Last extends Reached {
  readonly groups: ReadonlySet<string>
  /** Where the next one is due. */
  readonly next: number
}

/** Writes down now and then who is there, so that any past moment is near a checkpoint, whichever process it is that does. */
export class Checkpoints {
  readonly #kept: Kept
  /** What is known of the last one; another process may have written one since. */
  #last: Last | undefined

  constructor(kept: Kept) {
    this.#kept = kept
  }

  isDue(seq: number): boolean {
    return seq >= (this.#last?.next ?? 0)
  }

  reset(): void {
    this.#last = undefined
  }

  /** Appends go on meanwhile: rows and log are seen as they were at one moment. */
  async writeIfDue(database: Database): Promise<void> {
    await unlessTaken(database, LOCKS.checkpoint, (connection) =>
      within(connection, SNAPSHOT, async () => {
        const head = await connection.row('SELECT last FROM head')
        const seq = Number(head?.last)
        const last = await this.#read(connection)
        this.#last = last
        if (seq >= last.next) await this.write(connection, seq)
      }),
    )
  }

  /** The rows have to be those of that seq. Call it inside a transaction. */
  async write(connection: Connection, seq: number): Promise<void> {
    const { table, suffix } = this.#kept
    const last = await this.#read(connection)
    const rows = await connection.rows(
      'SELECT seq, ts, source, session_id FROM log WHERE seq > $1 AND seq <= $2 ORDER BY seq',
      [wholeBlocks(last.seq), seq],
    )
    const stamps = rows.map((row) => ({ seq: Number(row.seq), ts: Number(row.ts) }))
    const clock = clockOver(last, stamps, seq)
    const ts = Math.max(clock, await newestStamp(connection, seq))
    const present = await presentRows(connection, table, { endedFrom: clock - RECENT_MS, after: ts })
    await connection.run(
      `INSERT INTO checkpoints${suffix} VALUES ($1, $2, $3, $4)
       ON CONFLICT (seq) DO UPDATE SET ts = excluded.ts, clock = excluded.clock, rows = excluded.rows`,
      [seq, ts, clock, packRows(present)],
    )
    if (stamps.some((each) => each.seq > last.seq && each.ts < last.clock))
      await connection.run(
        `INSERT INTO late${suffix} SELECT seq, ts FROM log WHERE seq > $1 AND seq <= $2 AND ts < $3`,
        [last.seq, seq, last.clock],
      )
    const groups = new Set(present.map(({ group }) => group))
    const told = rows
      .filter((row) => Number(row.seq) > last.seq)
      .map((row) => rowKey(String(row.source), String(row.session_id)))
    await this.#park(
      connection,
      seq,
      [...new Set([...last.groups, ...told])].filter((group) => !groups.has(group)),
    )
    this.#last = { seq, clock, groups, next: seq + Math.max(CHECKPOINT_EVERY, 2 * present.length) }
  }

  /**
   * A session that is in no checkpoint any more is written down once, as it is then, and again whenever something was told of it
   * and it is still in none. So its newest such state is its state, until it is in a checkpoint again.
   */
  async #park(connection: Connection, seq: number, groups: readonly string[]): Promise<void> {
    if (groups.length === 0) return
    const rows = await rowsOfGroups(connection, this.#kept.table, groups)
    await connection.run(
      `INSERT INTO parked${this.#kept.suffix} SELECT grp, $1, rows FROM unnest($2::text[], $3::bytea[]) AS one (grp, rows)
       ON CONFLICT (grp, seq) DO UPDATE SET rows = excluded.rows`,
      [seq, groups.map(storedKey), groups.map((group) => packRows(rows.get(group) ?? []))],
    )
  }

  async #read(connection: Connection): Promise<Last> {
    const { suffix } = this.#kept
    const found = await connection.row(
      `SELECT seq, clock FROM checkpoints${suffix} ORDER BY seq DESC LIMIT 1`,
    )
    if (found === undefined) {
      const base = await connection.row('SELECT base FROM head')
      return { seq: Number(base?.base), clock: 0, groups: new Set(), next: CHECKPOINT_EVERY }
    }
    const seq = Number(found.seq)
    const clock = Number(found.clock)
    if (this.#last?.seq === seq && this.#last.clock === clock) return this.#last
    const kept = await connection.row(`SELECT rows FROM checkpoints${suffix} WHERE seq = $1`, [seq])
    const rows = unpackRows(kept?.rows as Uint8Array)
    return {
      seq,
      clock,
      groups: new Set(rows.map(({ group }) => group)),
      next: seq + Math.max(CHECKPOINT_EVERY, 2 * rows.length),
    }
  }
}
