import { CHECKPOINT_EVERY, RECENT_MS } from '../past/checkpoint.ts'
import { packRows, unpackRows } from '../past/packed-rows.ts'
import { floorToBlock, type Reached } from '../past/stamps.ts'
import { rowKey } from '../projections/index.ts'
import { type Connection, type Database, runTransaction, SNAPSHOT } from './database.ts'
import { LOCKS, runUnlessLocked } from './locks.ts'
import { toStoredKey } from './names.ts'
import { presentRows, rowsOfGroups } from './present-rows.ts'
import type { Table } from './projector.ts'
import { clockOver, newestStamp } from './stamps.ts'

/** The tables that hold checkpoints. A rebuild fills new ones beside those in use. */
export interface CheckpointTables {
  readonly table: Table
  readonly suffix: '' | '_next'
}

export const IN_USE: CheckpointTables = { table: 'projection_rows', suffix: '' }
export const NEXT: CheckpointTables = { table: 'projection_next', suffix: '_next' }

interface Last extends Reached {
  readonly groups: ReadonlySet<string>
  /** The seq at which the next checkpoint is due. */
  readonly next: number
}

/**
 * Stores the state of all agents at intervals, so that every past moment is near a checkpoint. Any process
 * may write one.
 */
export class Checkpoints {
  readonly #tables: CheckpointTables
  /**
   * Holds what this process knows about the last checkpoint. Another process may have written a newer one.
   */
  #last: Last | undefined

  constructor(tables: CheckpointTables) {
    this.#tables = tables
  }

  isDue(seq: number): boolean {
    return seq >= (this.#last?.next ?? 0)
  }

  reset(): void {
    this.#last = undefined
  }

  /** Appends continue meanwhile, because rows and log are read from one snapshot. */
  async writeIfDue(database: Database): Promise<void> {
    await runUnlessLocked(database, LOCKS.checkpoint, (connection) =>
      runTransaction(connection, SNAPSHOT, async () => {
        const head = await connection.row('SELECT last FROM head')
        const seq = Number(head?.last)
        const last = await this.#read(connection)
        this.#last = last
        if (seq >= last.next) await this.write(connection, seq)
      }),
    )
  }

  /** The rows must be those of that seq, so call this inside a transaction. */
  async write(connection: Connection, seq: number): Promise<void> {
    const { table, suffix } = this.#tables
    const last = await this.#read(connection)
    const rows = await connection.rows(
      'SELECT seq, ts, source, session_id FROM log WHERE seq > $1 AND seq <= $2 ORDER BY seq',
      [floorToBlock(last.seq), seq],
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
    const changed = rows
      .filter((row) => Number(row.seq) > last.seq)
      .map((row) => rowKey(String(row.source), String(row.session_id)))
    await this.#park(
      connection,
      seq,
      [...new Set([...last.groups, ...changed])].filter((group) => !groups.has(group)),
    )
    this.#last = { seq, clock, groups, next: seq + Math.max(CHECKPOINT_EVERY, 2 * present.length) }
  }

  /**
   * Stores a session once when it leaves the checkpoints, and again whenever it received events and is still
   * in none. So the newest such state is the session's state until a checkpoint contains it again.
   */
  async #park(connection: Connection, seq: number, groups: readonly string[]): Promise<void> {
    if (groups.length === 0) return
    const rows = await rowsOfGroups(connection, this.#tables.table, groups)
    await connection.run(
      `INSERT INTO parked${this.#tables.suffix} SELECT grp, $1, rows FROM unnest($2::text[], $3::bytea[]) AS one (grp, rows)
       ON CONFLICT (grp, seq) DO UPDATE SET rows = excluded.rows`,
      [seq, groups.map(toStoredKey), groups.map((group) => packRows(rows.get(group) ?? []))],
    )
  }

  async #read(connection: Connection): Promise<Last> {
    const { suffix } = this.#tables
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
    const stored = await connection.row(`SELECT rows FROM checkpoints${suffix} WHERE seq = $1`, [seq])
    const rows = unpackRows(stored?.rows as Uint8Array)
    return {
      seq,
      clock,
      groups: new Set(rows.map(({ group }) => group)),
      next: seq + Math.max(CHECKPOINT_EVERY, 2 * rows.length),
    }
  }
}
