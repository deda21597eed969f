import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

export type Row = Readonly<Record<string, SQLInputValue>>

/** Inserts rows into the tables of a database. */
export function inserting(db: DatabaseSync): (table: string, row: Row) => void {
  const statements = new Map<string, StatementSync>()
  return (table, row) => {
    const names = Object.keys(row)
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    statement.run(...Object.values(row))
  }
}
