import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Prepares a statement whose rows are arrays of values. */
export function prepared(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  // A number that JavaScript cannot represent would throw otherwise.
  statement.setReadBigInts(true)
  return statement
}

/** Returns the columns of a table, or none when it does not exist. */
export const tableColumns = (db: DatabaseSync, table: string): ReadonlySet<string> =>
  new Set(
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => String(row.name)),
  )
