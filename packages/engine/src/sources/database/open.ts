import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { markOf } from './marks.ts'

/** Long enough for a commit to pass, short enough to wait for on this thread. */
const WAIT_MS = 20

export interface Opened<T> {
  /** Nothing where its program has not made its tables yet. */
  readonly statements: T | undefined
  /** Does all of a piece of work in one read: each statement on its own would lock the file anew. */
  readonly within: <V>(work: () => V) => V
  /** Whether the path still is what was opened. */
  readonly holds: () => boolean
  readonly close: () => void
}

/**
 * Opens a database for reading only. One in WAL mode without a log beside it is in nobody's hands: opening it in the usual way
 * would make files there, so it is taken as a file that does not change, and looked at again afterwards. One that this process
 * writes to is always in that mode, and nothing but SQLite may open it: whoever closes a file lets go of all locks of its process.
 */
export function openReadOnly<T>(
  path: string,
  statementsOf: (db: DatabaseSync) => T | undefined,
  isOurs = false,
): Opened<T> {
  const mark = markOf(path)?.text
  const { ino } = statSync(path)
  const alone = (isOurs || isWal(path)) && !existsSync(`${path}-wal`)
  const url = pathToFileURL(path)
  url.searchParams.set(alone ? 'immutable' : 'mode', alone ? '1' : 'ro')
  const db = new DatabaseSync(url, { readOnly: true, timeout: WAIT_MS })
  try {
    db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF')
    return {
      statements: statementsOf(db),
      within: (work) => within(db, work),
      holds: alone
        ? () => markOf(path)?.text === mark
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
  // Some errors end it by themselves, and after others, as damage, it cannot be committed.
  if (db.isTransaction) db.exec('ROLLBACK')
  return value
}

const READ_VERSION = 19
const WAL = 2

/** By the header of the file: the database itself must not be asked before it is known how to open it. */
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
