import type { Job } from '@panoptes/engine/worker-rpc'
import type { RebuildReply, StoredEvent } from '@panoptes/schema'
import { countWrong, WRONG_ROWS, wrongRows } from '../wrong-rows.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { Checkpoints, NEXT } from './checkpoint.ts'
import { type Connection, type Database, runTransaction, SNAPSHOT } from './database.ts'
import { LOCKS, runExclusively } from './locks.ts'
import { checkpointTables, projectionTable } from './migrations.ts'
import { rememberVersions } from './projection-versions.ts'
import { Projector } from './projector.ts'

const SLICE = 2_000
/** The tables that a rebuild may replace. */
export const REPLACED = ['projection_rows', 'checkpoints', 'parked', 'late']
const BESIDE = ['projection_next', 'checkpoints_next', 'parked_next', 'late_next']

/**
 * Folds the log into new tables beside the stored rows, compares both in one snapshot, and replaces what
 * differs.
 */
export const rebuild = (database: Database, check: boolean, job: Job): Promise<RebuildReply> =>
  runExclusively(database, job, (connection) => rebuildOn(connection, database.schema, check, job))

/** Does the same for a caller that already holds the job lock. */
export async function rebuildOn(
  connection: Connection,
  schema: string,
  check: boolean,
  job: Job,
): Promise<RebuildReply> {
  try {
    return await new Rebuild(connection, schema, job).run(check)
  } finally {
    await dropLeftovers(connection).catch(() => undefined)
  }
}

/** Removes the tables that a rebuild left behind when it crashed. */
async function dropLeftovers({ run }: Connection): Promise<void> {
  await run(`DROP TABLE IF EXISTS ${BESIDE.join(', ')}`)
}

class Rebuild {
  readonly #connection: Connection
  readonly #schema: string
  readonly #job: Job
  readonly #projector = new Projector('projection_next')
  readonly #checkpoints = new Checkpoints(NEXT)
  #base = 0
  #at = 0
  #events = 0

  constructor(connection: Connection, schema: string, job: Job) {
    this.#connection = connection
    this.#schema = schema
    this.#job = job
  }

  async run(check: boolean): Promise<RebuildReply> {
    await this.#begin()
    for (;;) {
      const last = await this.#last()
      if (last - this.#at <= SLICE) break
      await runTransaction(this.#connection, 'BEGIN', () => this.#fold(this.#at + SLICE))
      this.#job.progress(this.#at - this.#base, last - this.#base)
      await yieldToAppends(this.#job)
    }
    await this.#connection.run('ANALYZE projection_next')
    // A check compares one snapshot; a replacement must include every event there is.
    return runTransaction(this.#connection, check ? SNAPSHOT : 'BEGIN', () => this.#end(check))
  }

  async #begin(): Promise<void> {
    const connection = this.#connection
    await dropLeftovers(connection)
    await runTransaction(connection, 'BEGIN', async () => {
      const tables = `${projectionTable('projection_next')}${checkpointTables('_next')}`
      await connection.run(tables.replaceAll('CREATE TABLE', 'CREATE UNLOGGED TABLE'))
      await connection.run('INSERT INTO projection_next SELECT * FROM projection_base')
      const head = await connection.row('SELECT base FROM head')
      this.#base = Number(head?.base)
      this.#at = this.#base
    })
  }

  async #end(check: boolean): Promise<RebuildReply> {
    const connection = this.#connection
    if (!check) await connection.run('SELECT last FROM head FOR UPDATE')
    const last = await this.#last()
    while (this.#at < last) await this.#fold(Math.min(last, this.#at + SLICE))
    this.#job.progress(last - this.#base, last - this.#base)
    await yieldToAppends(this.#job)
    const wrong = wrongRows(await connection.rows(WRONG_ROWS))
    const found = await connection.row('SELECT count(*) AS rows FROM projection_next')
    if (!check) await this.#replace()
    return {
      events: this.#events,
      rows: Number(found?.rows),
      differences: countWrong(wrong),
      wrong: [...wrong],
      applied: !check,
    }
  }

  async #fold(upTo: number): Promise<void> {
    const rows = await this.#connection.rows(
      'SELECT seq, body FROM log WHERE seq > $1 AND seq <= $2 ORDER BY seq',
      [this.#at, upTo],
    )
    const events = rows.map((row) => ({
      ...(JSON.parse(String(row.body)) as StoredEvent),
      seq: Number(row.seq),
    }))
    await this.#projector.prepare(this.#connection, events)
    for (const event of events) this.#projector.apply(event)
    await this.#projector.save(this.#connection)
    this.#at = upTo
    this.#events += events.length
    if (upTo > this.#base && this.#checkpoints.isDue(upTo))
      await this.#checkpoints.write(this.#connection, upTo)
  }

  async #replace(): Promise<void> {
    const { run } = this.#connection
    await run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.checkpoint, this.#schema])
    await run(`DELETE FROM projection_rows AS r
      WHERE NOT EXISTS (SELECT FROM projection_next AS n WHERE n.name = r.name AND n.key = r.key)`)
    await run(`INSERT INTO projection_rows SELECT n.* FROM projection_next AS n
      LEFT JOIN projection_rows AS r ON r.name = n.name AND r.key = n.key WHERE ${DIFFERENT}
      ON CONFLICT (name, key) DO UPDATE SET grp = excluded.grp, tag = excluded.tag, ord = excluded.ord, ref = excluded.ref, doc = excluded.doc`)
    for (const table of REPLACED.slice(1)) {
      await run(`DELETE FROM ${table}`)
      await run(`INSERT INTO ${table} SELECT * FROM ${table}_next`)
    }
    await rememberVersions(this.#connection)
    await run('UPDATE head SET turn = turn + 1')
  }

  async #last(): Promise<number> {
    const head = await this.#connection.row('SELECT last FROM head')
    return Number(head?.last)
  }
}

const DIFFERENT = `n.doc IS DISTINCT FROM r.doc OR n.grp IS DISTINCT FROM r.grp OR n.tag IS DISTINCT FROM r.tag
  OR n.ord IS DISTINCT FROM r.ord OR n.ref IS DISTINCT FROM r.ref`
