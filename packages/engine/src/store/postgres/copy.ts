import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { from } from 'pg-copy-streams'
import { type Connection, withoutNul } from './database.ts'

export type Cell = string | number | boolean | null

/** Rows are sent in chunks of about this many characters, so that their text is never in memory twice. */
const PIECE = 262_144

/** Sends rows into a table as fast as the server accepts them. */
export async function copyInto(
  { client, withTimeout }: Connection,
  table: string,
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const stream = client.query(from(`COPY ${table} FROM STDIN`))
  const over = finished(stream)
  // `over` reports this error; without a listener here it would end the process first.
  over.catch(() => undefined)
  let piece = ''
  try {
    for (const row of rows) {
      piece += `${row.map(formatCell).join('\t')}\n`
      if (piece.length < PIECE) continue
      if (!stream.write(piece)) await withTimeout(Promise.race([once(stream, 'drain'), over]))
      piece = ''
    }
  } catch (error) {
    // This tells the server that no more rows come, so that the connection can be used again.
    stream.destroy(error as Error)
    await over.catch(() => undefined)
    throw error
  }
  stream.end(piece)
  await withTimeout(over)
}

const SPECIAL = /[\\\n\r\t]/g
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const formatCell = (cell: Cell): string => {
  if (cell === null) return '\\N'
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  return typeof cell === 'number'
    ? String(cell)
    : withoutNul(cell).replaceAll(SPECIAL, (special) => ESCAPED[special] ?? '')
}
