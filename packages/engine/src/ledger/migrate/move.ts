import { existsSync } from 'node:fs'
import { type Job, Refused, type Work } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { analyze } from '../postgres/analyze.ts'
import { copyInto } from '../postgres/copy.ts'
import { type Connection, type Database, openDatabase, SNAPSHOT, within } from '../postgres/database.ts'
import { failureOf, shownAddress } from '../postgres/failures.ts'
import { jobOf } from '../postgres/job.ts'
import { migrate } from '../postgres/migrations.ts'
import { rebuildOn } from '../postgres/rebuild.ts'
import { goOnCounting, makePartitions } from '../postgres/restore.ts'
import { verify } from '../postgres/verify.ts'
import { openSqliteLedger } from '../sqlite/ledger.ts'
import { RowSum, type Summed } from './row-sum.ts'
import { type MoveSource, openSource } from './source.ts'
import { cellsOf, type MovedTable, movedTables, type Owner, projectionRows } from './tables.ts'
import { alone, type MovePlace, movingSchema, putInPlace, refuseFilled } from './target.ts'

export interface MoveWork extends Work {
  /** Only says what would move, and whether it can. */
  readonly check?: boolean | undefined
  /** Whose conversations and facts they are from now on; without one they are everybody's in the space. */
  readonly owner?: Owner | undefined
  /** The templates of the computer, as the texts of their files by name. */
  readonly templates?: ReadonlyMap<string, string> | undefined
  /** What the progress is told of from now on. */
  readonly onStage?: ((stage: MoveStage) => void) | undefined
}

export type MoveStage = 'copy' | 'fold' | 'compare'

export interface Moved {
  readonly events: number
  readonly first_seq: number
  readonly last_seq: number
  /** How many rows each table has, and what they add up to on both sides. */
  readonly tables: readonly ({ readonly table: string } & Summed)[]
}

/**
 * Moves a ledger from its file into a space of a PostgreSQL database. It is built beside the space and compared row by row; only then it
 * takes the space's place, in one commit. Whatever ends it before leaves the space as it was, and what was built goes with the next try.
 */
export async function moveLedger(
  file: string,
  place: MovePlace,
  work: MoveWork = {},
): Promise<Result<Moved>> {
  if (!existsSync(file)) return failure('not_found', `There is no ledger at ${file}.`)
  // Takes its lock, and brings an older one up to date.
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return opened
  const database = openDatabase(place.url, movingSchema(place.schema), { max: 3, patient: true })
  const source = openSource(file)
  try {
    const job = jobOf(work, () => false)
    return success(
      await alone(database, place.space, () => new Move(source, database, place, work, job).run()),
    )
  } catch (error) {
    return failureOf(error, `${shownAddress(place.url)} (${place.space})`)
  } finally {
    source.close()
    await opened.value.close()
    await database.close()
  }
}

const EVERY = 1_000
/** Rows that are read back at once. */
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
    await this.#database.connected((connection) => refuseFilled(connection, schema, space))
    const tables = this.#tables.map((table) => ({
      table: table.table,
      rows: this.#source.count(table),
      sum: '',
    }))
    this.#total = tables.reduce((total, { rows }) => total + rows, 0)
    if (this.#work.check === true) return this.#told(tables)
    await this.#drop()
    try {
      await migrate(this.#database)
      const summed = await this.#database.connected((connection) => this.#move(connection))
      this.#step()
      await putInPlace(this.#database, schema, space)
      return this.#told(summed)
    } catch (error) {
      await this.#drop().catch(() => undefined)
      throw error
    }
  }

  async #move(connection: Connection): Promise<Moved['tables']> {
    // What is built is of no use before it is in its place, which waits for the disk.
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
      const wrong = await within(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection))
      if (wrong.length > 0) throw differs(`the log (${wrong.join('; ')})`)
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
    const cells = cellsOf(table)
    for (const row of this.#source.rows(table)) {
      const made = cells(row)
      sum.add(made)
      yield made
      this.#step(1)
    }
  }

  async #compare(connection: Connection, table: MovedTable, was: Summed): Promise<void> {
    const is = await this.#sumOf(connection, table)
    if (is.rows !== was.rows || is.sum !== was.sum)
      throw differs(`${table.table} (${was.rows} rows were read, ${is.rows} are there)`)
  }

  /** They were folded anew: where they are not what the file has, it is the file's that are wrong. */
  async #compareProjections(connection: Connection): Promise<void> {
    const sum = new RowSum()
    const cells = cellsOf(projectionRows)
    for (const row of this.#source.rows(projectionRows)) sum.add(cells(row))
    const { rows, sum: is } = await this.#sumOf(connection, projectionRows)
    if (rows === sum.summed.rows && is === sum.summed.sum) return
    throw new Refused(
      failure(
        'corrupt',
        'What is derived from the events in the file is not what they amount to. Make it right with "panoptes rebuild", then migrate again; nothing was moved.',
      ),
    )
  }

  #sumOf(connection: Connection, { table, columns, back = {} }: MovedTable): Promise<Summed> {
    const sum = new RowSum()
    const shown = columns.map((column) => `${back[column] ?? column} AS ${column}`)
    return within(connection, `${SNAPSHOT} READ ONLY`, async () => {
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

  #told(tables: Moved['tables']): Moved {
    const { base, last } = this.#source
    return { events: last - base, first_seq: base + 1, last_seq: last, tables }
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
      throw new Refused(
        failure('stopped', 'Stopped before the end. Nothing was moved; the space is as it was.'),
      )
  }

  /** What one that was killed left behind, or this one. */
  #drop(): Promise<number> {
    return this.#database.run(`DROP SCHEMA IF EXISTS ${this.#database.schema} CASCADE`)
  }
}

const differs = (what: string): Refused =>
  new Refused(
    failure('corrupt', `What was written is not what was read: ${what}. Nothing was moved; try again.`),
  )
