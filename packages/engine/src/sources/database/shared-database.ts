import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isLock, isPassing } from './failures.ts'
import { databaseMark } from './marks.ts'

/**
 * No read transaction lasts longer: a writer in rollback mode waits for it, and so does other work on this
 * thread.
 */
const SLICE_MS = 15
const PAUSE_MS = 50
const MOST_RETRIES = 3
const MOST_LOCKED = 100
/** An open connection keeps a writer from checkpointing when it closes, so it stays open only this long. */
const IDLE_MS = 20

/** Returns true when it is time to release the database. */
export type Clock = () => boolean

/**
 * Reads a database that another program writes to, in slices. Between slices it holds nothing but an open
 * file, and that only briefly.
 */
export class SharedDatabase<Statements> {
  readonly path: string
  readonly #prepareStatements: (db: DatabaseSync) => Statements | undefined
  #opened: Opened<Statements> | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #idleMs: number
  readonly #isOurs: boolean
  readonly #mostLocked: number
  #turn = 0

  /**
   * `idleMs` allows more time between two slices. `isOurs` says that this process may be the writer.
   * `mostLocked` limits the retries on a locked database.
   */
  constructor(
    path: string,
    prepareStatements: (db: DatabaseSync) => Statements | undefined,
    { idleMs = IDLE_MS, isOurs = false, mostLocked = MOST_LOCKED } = {},
  ) {
    this.path = path
    this.#idleMs = idleMs
    this.#isOurs = isOurs
    this.#mostLocked = mostLocked
    this.#prepareStatements = prepareStatements
  }

  /** Runs a short piece of work, and restarts it when a writer interfered. It throws permanent errors. */
  async slice<T>(work: (statements: Statements | undefined, over: Clock) => T): Promise<T> {
    for (let retries = 0, locked = 0; ; ) {
      await this.#giveWay()
      try {
        const opened = this.#ready()
        const end = performance.now() + SLICE_MS
        const value = opened.within(() => work(opened.statements, () => performance.now() > end))
        if (opened.holds()) {
          this.#rest()
          return value
        }
        this.close()
        if (++retries > MOST_LOCKED) throw new Error('it keeps changing')
      } catch (error) {
        this.close()
        if (isLock(error) ? ++locked > this.#mostLocked : !isPassing(error) || ++retries > MOST_RETRIES)
          throw error
        await delay(PAUSE_MS)
      }
    }
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#opened?.close()
    this.#opened = undefined
  }

  #ready(): Opened<Statements> {
    this.#opened ??= openReadOnly(this.path, this.#prepareStatements, this.#isOurs)
    return this.#opened
  }

  /** Slices may follow each other at once, so other work on this thread gets its turn in between. */
  async #giveWay(): Promise<void> {
    if (performance.now() - this.#turn < SLICE_MS) return
    await nextTurn()
    this.#turn = performance.now()
  }

  #rest(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh()
      return
    }
    this.#idle = setTimeout(() => this.close(), this.#idleMs)
    this.#idle.unref()
  }
}

/** Long enough for a commit to finish, short enough to block this thread. */
const WAIT_MS = 20

interface Opened<T> {
  /** The prepared statements; undefined while the program has not created its tables yet. */
  readonly statements: T | undefined
  /** Runs work in one read transaction. Separate statements would each lock the file anew. */
  readonly within: <V>(work: () => V) => V
  /** True while the path still refers to the opened file. */
  readonly holds: () => boolean
  readonly close: () => void
}

/**
 * Opens a database read-only. Nobody uses a WAL database without a log next to it, and opening it normally
 * would create files, so it is opened as immutable and checked again afterwards. A database of this process
 * is always in WAL mode and may only be opened by SQLite, because closing a file releases all locks of its
 * process.
 */
function openReadOnly<T>(
  path: string,
  prepareStatements: (db: DatabaseSync) => T | undefined,
  isOurs = false,
): Opened<T> {
  const mark = databaseMark(path)?.text
  const { ino } = statSync(path)
  const alone = (isOurs || isWal(path)) && !existsSync(`${path}-wal`)
  const url = pathToFileURL(path)
  url.searchParams.set(alone ? 'immutable' : 'mode', alone ? '1' : 'ro')
  const db = new DatabaseSync(url, { readOnly: true, timeout: WAIT_MS })
  try {
    db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF')
    return {
      statements: prepareStatements(db),
      within: (work) => within(db, work),
      holds: alone
        ? () => databaseMark(path)?.text === mark
        : () => statSync(path, { throwIfNoEntry: false })?.ino === ino,
      close: () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

function within<V>(db: DatabaseSync, work: () => V): V {
  db.exec('BEGIN')
  const value = work()
  // Some errors end the transaction, and after others, such as corruption, it cannot be committed.
  if (db.isTransaction) db.exec('ROLLBACK')
  return value
}

const READ_VERSION = 19
const WAL = 2

/** Reads the mode from the file header, because it decides how to open the database. */
function isWal(path: string): boolean {
  const header = Buffer.alloc(READ_VERSION + 1)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
  return header[READ_VERSION] === WAL || header[READ_VERSION - 1] === WAL
}
