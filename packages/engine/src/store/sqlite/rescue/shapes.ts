import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../migrations.ts'
import type { Cell, Value } from './cells.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** This is true when the column is the row number, which the record does not contain. */
  readonly isNumber: boolean
}

/** Describes the rows of a table, with the columns in the order of a record. */
export interface Shape {
  readonly name: string
  readonly isIndexed: boolean
  readonly columns: readonly Column[]
}

/** The first pages of tables and indexes in a file that only migrations have changed. */
export type Layout = ReadonlyMap<number, string>

/** Tables whose rows are recomputed from the events. */
const DERIVED = /^(sqlite_.*|projection_rows|projection_versions|.*_next)$|^(checkpoints|parked|late)$/

/** Returns the tables of a version, and where they begin in a new file and in a rewritten one. */
export function tableShapes(version: number): {
  readonly shapes: readonly Shape[]
  readonly layouts: readonly Layout[]
} {
  const db = new DatabaseSync(':memory:')
  try {
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    migrate(db, version)
    const fresh = readLayout(db)
    const tables = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all()
    const shapes = tables
      .filter(({ name }) => !DERIVED.test(String(name)))
      .map(({ name, sql }) => readShape(db, String(name), /WITHOUT ROWID\s*$/i.test(String(sql))))
    db.exec('VACUUM')
    return { shapes, layouts: [fresh, readLayout(db)] }
  } finally {
    db.close()
  }
}

const readLayout = (db: DatabaseSync): Layout =>
  new Map(
    db
      .prepare('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0')
      .all()
      .map(({ name, rootpage }) => [Number(rootpage), String(name)]),
  )

function readShape(db: DatabaseSync, name: string, isIndexed: boolean): Shape {
  const columns = db.prepare('SELECT * FROM pragma_table_info(?)').all(name)
  const keys = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  const stored = isIndexed ? [...keys, ...columns.filter(({ pk }) => Number(pk) === 0)] : columns
  return {
    name,
    isIndexed,
    columns: stored.map((column) => ({
      name: String(column.name),
      type: String(column.type),
      isNullable: Number(column.notnull) === 0 && !(isIndexed && Number(column.pk) > 0),
      isNumber:
        !isIndexed && keys.length === 1 && Number(column.pk) === 1 && String(column.type) === 'INTEGER',
    })),
  }
}

/** These columns hold JSON in every table. */
const JSON_COLUMNS = new Set(['doc', 'state', 'tags'])

/**
 * Returns the values of a row in the order of the columns, or undefined when the cell is not a row of this
 * table.
 */
export function rowValues(
  { name, isIndexed, columns }: Shape,
  { id, values }: Cell,
): readonly Value[] | undefined {
  if (isIndexed !== (id === undefined)) return undefined
  // Rows written before a column was added lack its value.
  if (values.length > columns.length || values.length < columns.length - 1) return undefined
  const row: Value[] = []
  for (const [index, column] of columns.entries()) {
    const stored = values[index] ?? null
    const value = column.isNumber && stored === null ? (id ?? null) : stored
    if (!fitsColumn(column, value)) return undefined
    row.push(value)
  }
  return name !== 'events' || isEvent(row) ? row : undefined
}

function fitsColumn({ name, type, isNullable }: Column, value: Value): boolean {
  if (value === null) return isNullable || type === ''
  switch (type) {
    case 'TEXT':
      return typeof value === 'string' && (!JSON_COLUMNS.has(name) || isJson(value))
    case 'INTEGER':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'REAL':
      return typeof value === 'number'
    case 'BLOB':
      return value instanceof Uint8Array
    default:
      return true
  }
}

/** The text of an event repeats the values of its columns; the text of a forgotten one is empty. */
function isEvent(row: readonly Value[]): boolean {
  const [seq, key, ts, event, source, session, , , body] = row
  if (typeof seq !== 'number' || seq < 1 || typeof body !== 'string') return false
  if (body === '') return ts === -1
  try {
    const parsed = JSON.parse(body)
    return (
      parsed.key === key &&
      parsed.ts === ts &&
      parsed.event === event &&
      parsed.source === source &&
      parsed.session_id === session
    )
  } catch {
    return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
