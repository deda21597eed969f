import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Job, Refused, type Work } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { analyze } from '../postgres/analyze.ts'
import { copyInto } from '../postgres/copy.ts'
import {
  type Connection,
  type Database,
  openDatabase,
  runTransaction,
  SNAPSHOT,
  withoutNul,
} from '../postgres/database.ts'
import { formatAddress, toFailure } from '../postgres/failures.ts'
import { createJob } from '../postgres/job.ts'
import { migrate } from '../postgres/migrations.ts'
import { rebuildOn } from '../postgres/rebuild.ts'
import { goOnCounting, makePartitions } from '../postgres/restore.ts'
import { verify } from '../postgres/verify.ts'
import { FORGOTTEN_ROWS, readNumber } from '../sqlite/migrations.ts'
import { openForReading } from '../sqlite/open-file.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { baseSeq, lastSeq } from '../sqlite/writer.ts'
import {
  cellReader,
  type MovedTable,
  movedTables,
  type Owner,
  projectionRows,
  type SourceRow,
} from './tables.ts'
import { type MovePlace, movingSchema, putInPlace, refuseFilled, withMigrationLock } from './target.ts'

export interface MoveWork extends Work {
  /** With this, the move only reports what would move and whether it can. */
  readonly check?: boolean | undefined
  /**
   * The owner of the conversations and facts from now on. Without one, everybody in the space can see them.
   */
  readonly owner?: Owner | undefined
  /** The computer's templates: the texts of their files by name. */
  readonly templates?: ReadonlyMap<string, string> | undefined
  /** This is called when the next stage of progress begins. */
  readonly onStage?: ((stage: MoveStage) => void) | undefined
}

export type MoveStage = 'copy' | 'fold' | 'compare'

export interface Moved {
  readonly events: number
  readonly first_seq: number
  readonly last_seq: number
  /** Counts the rows of each table, with the checksum that both sides agree on. */
  readonly tables: readonly ({ readonly table: string } & Summed)[]
}

/**
 * Moves a store from its file into a space of a PostgreSQL database. The new schema is built beside the space
 * and compared row by row. Only then does it take the space's place, in one commit. If anything stops the
 * move before that, the space stays as it was and the next attempt removes the leftovers.
 */
export async function moveStore(file: string, place: MovePlace, work: MoveWork = {}): Promise<Result<Moved>> {
  if (!existsSync(file)) return failure('not_found', `There is no store at ${file}.`)
  // Opening takes the lock and upgrades an older file.
  const opened = await openSqliteStore(file)
  if (!opened.ok) return opened
  const database = openDatabase(place.url, movingSchema(place.schema), { max: 3, patient: true })
  const source = openSource(file)
  try {
    const job = createJob(work, () => false)
    return success(
      await withMigrationLock(database, place.space, () =>
        new Move(source, database, place, work, job).run(),
      ),
    )
  } catch (error) {
    return toFailure(error, `${formatAddress(place.url)} (${place.space})`)
  } finally {
    source.close()
    await opened.value.close()
    await database.close()
  }
}

const EVERY = 1_000
/** This many rows are read back at a time. */
const FETCH = 1_000

class Move {
  readonly #source: MoveSource
  readonly #database: Database
  readonly #place: MovePlace
  readonly #work: MoveWork
  readonly #job: Job
  readonly #tables: readonly MovedTable[]
  #done = 0
  #total = 0

  constructor(source: MoveSource, database: Database, place: MovePlace, work: MoveWork, job: Job) {
    this.#source = source
    this.#database = database
    this.#place = place
    this.#work = work
    this.#job = job
    this.#tables = movedTables(work.owner ?? null, work.templates)
  }

  async run(): Promise<Moved> {
    const { schema, space } = this.#place
    await this.#database.withConnection((connection) => refuseFilled(connection, schema, space))
    const tables = this.#tables.map((table) => ({
      table: table.table,
      rows: this.#source.count(table),
      sum: '',
    }))
    this.#total = tables.reduce((total, { rows }) => total + rows, 0)
    if (this.#work.check === true) return this.#toMoved(tables)
    await this.#drop()
    try {
      await migrate(this.#database)
      const total = await this.#database.withConnection((connection) => this.#move(connection))
      this.#step()
      await putInPlace(this.#database, schema, space)
      return this.#toMoved(total)
    } catch (error) {
      await this.#drop().catch(() => undefined)
      throw error
    }
  }

  async #move(connection: Connection): Promise<Moved['tables']> {
    // The schema is useless until it is in place, and that step waits for the disk.
    await connection.run('SET synchronous_commit = off')
    try {
      this.#stage('copy', this.#total)
      const { base, last, forgetKey } = this.#source
      await connection.run('UPDATE head SET base = $1, last = $2, forget_key = $3, turn = 1', [
        base,
        last,
        forgetKey,
      ])
      await makePartitions(connection)
      const copied: { table: MovedTable; summed: Summed }[] = []
      for (const table of this.#tables) copied.push({ table, summed: await this.#copy(connection, table) })
      await goOnCounting(connection)
      await analyze(connection)
      this.#work.onStage?.('fold')
      await rebuildOn(connection, this.#database.schema, false, this.#job)
      this.#stage('compare', this.#total)
      for (const { table, summed } of copied) await this.#compare(connection, table, summed)
      await this.#compareProjections(connection)
      const wrong = await runTransaction(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection))
      if (wrong.length > 0) throw mismatchFailure(`the log (${wrong.join('; ')})`)
      return copied.map(({ table, summed }) => ({ table: table.table, ...summed }))
    } finally {
      await connection.run('SET synchronous_commit = DEFAULT').catch(() => undefined)
    }
  }

  async #copy(connection: Connection, table: MovedTable): Promise<Summed> {
    const sum = new RowSum()
    await copyInto(connection, `${table.table} (${table.columns.join(', ')})`, this.#cells(table, sum))
    return sum.summed
  }

  *#cells(table: MovedTable, sum: RowSum) {
    const cells = cellReader(table)
    for (const row of this.#source.rows(table)) {
      const made = cells(row)
      sum.add(made)
      yield made
      this.#step(1)
    }
  }

  async #compare(connection: Connection, table: MovedTable, was: Summed): Promise<void> {
    const is = await this.#sumRows(connection, table)
    if (is.rows !== was.rows || is.sum !== was.sum)
      throw mismatchFailure(`${table.table} (rows read: ${was.rows}, rows stored: ${is.rows})`)
  }

  /** The projections were folded anew, so if they differ from the file's, the file is wrong. */
  async #compareProjections(connection: Connection): Promise<void> {
    const sum = new RowSum()
    const cells = cellReader(projectionRows)
    for (const row of this.#source.rows(projectionRows)) sum.add(cells(row))
    const { rows, sum: is } = await this.#sumRows(connection, projectionRows)
    if (rows === sum.summed.rows && is === sum.summed.sum) return
    throw new Refused(
      failure(
        'corrupt',
        'The derived data in the file does not match its events. Nothing was moved. Fix it with "panoptes rebuild", then migrate again.',
      ),
    )
  }

  #sumRows(connection: Connection, { table, columns, back = {} }: MovedTable): Promise<Summed> {
    const sum = new RowSum()
    const shown = columns.map((column) => `${back[column] ?? column} AS ${column}`)
    return runTransaction(connection, `${SNAPSHOT} READ ONLY`, async () => {
      await connection.run(`DECLARE rows NO SCROLL CURSOR FOR SELECT ${shown.join(', ')} FROM ${table}`)
      for (;;) {
        const rows = await connection.rows(`FETCH ${FETCH} FROM rows`)
        for (const row of rows) {
          sum.add(columns.map((column) => row[column]))
          this.#step(1)
        }
        if (rows.length < FETCH) return sum.summed
      }
    })
  }

  #toMoved(tables: Moved['tables']): Moved {
    const { base, last, forgotten } = this.#source
    return { events: last - base - forgotten, first_seq: base + 1, last_seq: last, tables }
  }

  #stage(stage: MoveStage, total: number): void {
    this.#work.onStage?.(stage)
    this.#done = 0
    this.#total = total
  }

  #step(more = 0): void {
    this.#done += more
    if (more > 0 && this.#done % EVERY !== 0) return
    this.#job.progress(Math.min(this.#done, this.#total), this.#total)
    if (this.#job.stopped())
      throw new Refused(failure('stopped', 'Interrupted. Nothing was moved, and the space is unchanged.'))
  }

  /** Removes what this move or an earlier, killed one left behind. */
  #drop(): Promise<number> {
    return this.#database.run(`DROP SCHEMA IF EXISTS ${this.#database.schema} CASCADE`)
  }
}

const mismatchFailure = (what: string): Refused =>
  new Refused(
    failure('corrupt', `The copy does not match the original: ${what}. Nothing was moved. Try again.`),
  )

interface Summed {
  readonly rows: number
  readonly sum: string
}

/**
 * Compares two tables as sets of rows, in whatever order they are read and without keeping the rows in
 * memory.
 */
class RowSum {
  #rows = 0
  readonly #parts = new Uint32Array(4)

  add(cells: readonly unknown[]): void {
    const digest = hash('sha1', JSON.stringify(cells.map(toStored)), 'buffer')
    for (const at of this.#parts.keys())
      this.#parts[at] = ((this.#parts[at] ?? 0) + digest.readUInt32LE(at * 4)) >>> 0
    this.#rows += 1
  }

  get summed(): Summed {
    const sum = [...this.#parts].map((part) => part.toString(16).padStart(8, '0')).join('')
    return { rows: this.#rows, sum }
  }
}

/** Returns the form in which PostgreSQL stores a text: without NUL and without lone surrogates. */
const toStored = (cell: unknown): unknown =>
  typeof cell === 'string' ? withoutNul(cell).toWellFormed() : cell

/** The file of a store, read table by table while nobody writes to it. */
interface MoveSource {
  readonly base: number
  readonly last: number
  readonly forgotten: number
  readonly forgetKey: Uint8Array
  readonly count: (table: MovedTable) => number
  readonly rows: (table: MovedTable) => Iterable<SourceRow>
  readonly close: () => void
}

function openSource(file: string): MoveSource {
  const db = openForReading(file)
  return {
    base: baseSeq(db),
    last: lastSeq(db),
    forgotten: readNumber(db, FORGOTTEN_ROWS),
    forgetKey: db.prepare("SELECT value FROM meta WHERE name = 'forget_key'").get()?.value as Uint8Array,
    count: ({ from, inlineRows }) => inlineRows?.length ?? readNumber(db, `SELECT count(*) FROM (${from})`),
    rows: (table) => table.inlineRows ?? rowsIn(db, table),
    close: () => db.close(),
  }
}

function* rowsIn(db: DatabaseSync, { from }: MovedTable): Iterable<SourceRow> {
  const statement = db.prepare(from)
  // Sums may exceed what a number holds exactly; PostgreSQL stores them as numeric values.
  statement.setReadBigInts(true)
  for (const row of statement.iterate())
    yield Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    ) as SourceRow
}
