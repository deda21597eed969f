import type { Cell } from '../copy.ts'
import type { Writes } from './statement-pipeline.ts'

/** The name of a column and the type of its values. */
export type Column = readonly [name: string, type: 'bigint' | 'double precision' | 'integer' | 'text']

/** One statement takes this many rows, or text of about this many characters. */
const MOST_ROWS = 5_000
const MOST_TEXT = 8_000_000

const unnestColumns = (columns: readonly Column[]): string =>
  `unnest(${columns.map(([, type], n) => `$${n + 1}::${type}[]`).join(', ')})`

/** Inserts rows. For rows whose key already exists, it applies the changes in `change`. */
export async function putAll(
  writes: Writes,
  table: string,
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  change = '',
): Promise<void> {
  const names = columns.map(([name]) => name).join(', ')
  for (const part of chunkRows(rows))
    await writes.run(
      `INSERT INTO ${table} (${names}) SELECT * FROM ${unnestColumns(columns)} ${change}`,
      transposeRows(columns, part),
    )
}

/** Deletes rows with one of these keys, if a further condition also holds. */
export async function dropAll(
  writes: Writes,
  table: string,
  columns: readonly Column[],
  keys: Iterable<readonly Cell[]>,
  more = '',
): Promise<void> {
  const names = columns.map(([name]) => name)
  for (const part of chunkRows(keys))
    await writes.run(
      `DELETE FROM ${table} AS t USING ${unnestColumns(columns)} AS gone (${names.join(', ')})
       WHERE ${names.map((name) => `t.${name} = gone.${name}`).join(' AND ')} ${more}`,
      transposeRows(columns, part),
    )
}

const transposeRows = (columns: readonly Column[], rows: readonly (readonly Cell[])[]) =>
  columns.map((_, n) => rows.map((row) => row[n] ?? null))

function* chunkRows(rows: Iterable<readonly Cell[]>): Iterable<readonly (readonly Cell[])[]> {
  let part: (readonly Cell[])[] = []
  let text = 0
  for (const row of rows) {
    part.push(row)
    for (const cell of row) if (typeof cell === 'string') text += cell.length
    if (part.length < MOST_ROWS && text < MOST_TEXT) continue
    yield part
    part = []
    text = 0
  }
  if (part.length > 0) yield part
}
