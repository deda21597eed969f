import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A statement whose rows come as lists of their values. */
export function prepared(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  // A number that JavaScript cannot hold would throw.
  statement.setReadBigInts(true)
  return statement
}

/** None for a table that is not there. */
export const columnsOf = (db: DatabaseSync, table: string): ReadonlySet<string> =>
  new Set(
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => String(row.name)),
  )
