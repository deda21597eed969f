import type { Job } from '@panoptes/engine/worker-rpc'
import type { StoredEvent } from '@panoptes/schema'
import type { RetentionPolicy } from '../port.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { type Connection, type Database, runTransaction } from './database.ts'
import { whole } from './event-reader.ts'
import { runExclusively } from './locks.ts'
import { dropPartition, partitionsIn } from './partitions.ts'
import { Projector } from './projector.ts'
import { BYTES } from './reader.ts'

const SLICE = 1_000
const DAY_MS = 86_400_000

/** Drops the oldest events slice by slice, and folds each slice into the base that a rebuild starts from. */
export const retain = (database: Database, policy: RetentionPolicy, job: Job): Promise<number> =>
  runExclusively(database, job, (connection) => new Retention(connection, job).run(policy))

class Retention {
  readonly #connection: Connection
  readonly #job: Job
  readonly #projector = new Projector('projection_base')
  #at = 0

  constructor(connection: Connection, job: Job) {
    this.#connection = connection
    this.#job = job
  }

  async run({ before, maxBytes, keepAfter }: RetentionPolicy): Promise<number> {
    const head = await this.#connection.row('SELECT base, span FROM head')
    const start = Number(head?.base)
    const span = Number(head?.span)
    this.#at = start
    const most = keepAfter ?? Number.MAX_SAFE_INTEGER
    let target = Math.min(most, before === undefined ? start : await this.#cutByAge(before))
    for (;;) {
      if (this.#at >= target) {
        await this.#dropPartitions(span)
        target = Math.min(most, await this.#cutBySize(maxBytes, span))
      }
      if (this.#at >= target) break
      await this.#dropSlice(Math.min(target, this.#at + SLICE))
      this.#job.progress(this.#at - start, Math.max(target, this.#at) - start)
      await yieldToAppends(this.#job)
    }
    if (this.#at > start) await this.#connection.run('VACUUM event_keys')
    return this.#at - start
  }

  /**
   * Finds the last old event before the first young one. A timestamp in the future means a wrong clock, not a
   * young event: such an event goes with the old ones around it, because otherwise it would hold back
   * everything after it.
   */
  async #cutByAge(before: number): Promise<number> {
    const old = whole(Math.trunc(before))
    const young = await this.#connection.row(
      'SELECT seq FROM log WHERE ts >= $1 AND ts <= $2 ORDER BY seq LIMIT 1',
      [old, Math.max(Date.now(), old) + DAY_MS],
    )
    const cut = await this.#connection.row(
      'SELECT seq FROM events WHERE seq > $1 AND seq < $2 AND ts < $3 ORDER BY seq DESC LIMIT 1',
      [this.#at, Number(young?.seq ?? Number.MAX_SAFE_INTEGER), old],
    )
    return Number(cut?.seq ?? 0)
  }

  /**
   * Drops another partition while the tables exceed the limit, because only a whole partition frees its
   * space. The newest partition always stays.
   */
  async #cutBySize(maxBytes: number | undefined, span: number): Promise<number> {
    if (maxBytes === undefined) return this.#at
    const found = await this.#connection.row(`SELECT last, ${BYTES} AS bytes FROM head`)
    if (Number(found?.bytes) <= maxBytes) return this.#at
    const end = (Math.floor((this.#at + 1) / span) + 1) * span - 1
    return end < Number(found?.last) ? end : this.#at
  }

  async #dropSlice(to: number): Promise<void> {
    const connection = this.#connection
    const from = this.#at
    await runTransaction(connection, 'BEGIN', async () => {
      const rows = await connection.rows(
        'SELECT seq, body FROM log WHERE seq > $1 AND seq <= $2 ORDER BY seq',
        [from, to],
      )
      const events = rows.map((row) => ({
        ...(JSON.parse(String(row.body)) as StoredEvent),
        seq: Number(row.seq),
      }))
      await this.#projector.prepare(connection, events)
      for (const event of events) this.#projector.apply(event)
      await this.#projector.save(connection)
      await connection.run('DELETE FROM event_keys WHERE seq > $1 AND seq <= $2', [from, to])
      for (const table of ['checkpoints', 'parked', 'late'])
        await connection.run(`DELETE FROM ${table} WHERE seq <= $1`, [to])
      // This comes last, because nobody can append from here to the commit.
      await connection.run('UPDATE head SET base = $1', [to])
    })
    this.#at = to
  }

  /** Drops the partitions before the start of the log. */
  async #dropPartitions(span: number): Promise<void> {
    for (const at of await partitionsIn(this.#connection))
      if ((at + 1) * span - 1 <= this.#at) await dropPartition(this.#connection, at)
  }
}
