import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip } from 'node:zlib'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import { from } from 'pg-copy-streams'
import { analyze } from './analyze.ts'
import { END, FORMAT } from './backup.ts'
import { type Connection, type Database, runTransaction } from './database.ts'
import { migrate, migrations } from './migrations.ts'
import { makePartition, partitionRange } from './partitions.ts'

/** Fills a schema that does not exist yet with the contents of a backup, completely or not at all. */
export async function restore(database: Database, file: string): Promise<void> {
  const there = await database.row('SELECT to_regnamespace($1) AS there', [database.schema])
  if (there?.there !== null) throw refused('invalid', `The database already has a store ${database.schema}`)
  const lines = readLines(file)[Symbol.asyncIterator]()
  const { version } = await beginning(lines, file)
  await migrate(database, { to: version })
  try {
    await database.withoutTimeout((connection) =>
      runTransaction(connection, 'BEGIN', () => load(connection, lines, file)),
    )
  } catch (error) {
    await database.withoutTimeout(({ run }) => run(`DROP SCHEMA ${database.schema} CASCADE`))
    throw error
  }
  await database.withoutTimeout(analyze)
}

const refused = (code: 'invalid' | 'corrupt' | 'newer_version', what: string): Refused =>
  new Refused(failure(code, `${what}. Nothing was restored.`))

type Lines = AsyncIterator<readonly string[]> & { rest?: readonly string[] }

async function next(lines: Lines): Promise<string | undefined> {
  const [line, ...rest] = await more(lines)
  lines.rest = rest
  return line
}

async function more(lines: Lines): Promise<readonly string[]> {
  const { rest = [] } = lines
  delete lines.rest
  if (rest.length > 0) return rest
  const read = await lines.next()
  return read.done === true ? [] : read.value
}

async function beginning(lines: Lines, file: string): Promise<{ readonly version: number }> {
  if ((await next(lines)) !== FORMAT) throw refused('invalid', `${file} is not a backup of a space`)
  const { version } = JSON.parse((await next(lines)) ?? '{}') as { version: number }
  if (version > migrations.length)
    throw refused('newer_version', `${file} was written by a newer Panoptes. Update Panoptes`)
  return { version }
}

async function load(connection: Connection, lines: Lines, file: string): Promise<void> {
  for (;;) {
    const line = await next(lines)
    if (line === undefined) throw refused('corrupt', `${file} ends too early`)
    const {
      table,
      columns = [],
      end,
    } = JSON.parse(line) as { table?: string; columns?: string[]; end?: true }
    if (end === true) break
    if (table === undefined) throw refused('corrupt', `${file} is damaged`)
    if (table === 'head') await connection.run('DELETE FROM head')
    if (table === 'events') await makePartitions(connection)
    await copyRows(connection, `COPY ${table} (${columns.join(', ')}) FROM STDIN`, lines, file)
  }
  await goOnCounting(connection)
}

export async function makePartitions(connection: Connection): Promise<void> {
  const head = await connection.row('SELECT base, last, span FROM head')
  const span = Number(head?.span)
  for (const at of partitionRange(Number(head?.base) + 1, Number(head?.last), span))
    await makePartition(connection, at, span)
}

async function copyRows({ client }: Connection, sql: string, lines: Lines, file: string): Promise<void> {
  const stream = client.query(from(sql))
  await pipeline(async function* () {
    for (;;) {
      const some = await more(lines)
      if (some.length === 0) throw refused('corrupt', `${file} ends too early`)
      const end = some.indexOf(END)
      const rows = end < 0 ? some : some.slice(0, end)
      if (rows.length > 0) yield `${rows.join('\n')}\n`
      if (end < 0) continue
      lines.rest = some.slice(end + 1)
      return
    }
  }, stream)
}

/** Makes auto-incrementing columns continue after the highest number in use. */
export async function goOnCounting({ rows, run }: Connection): Promise<void> {
  const found = await rows(
    `SELECT c.relname, a.attname, pg_get_serial_sequence(c.relname, a.attname) AS sequence
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND pg_get_serial_sequence(c.relname, a.attname) IS NOT NULL`,
  )
  for (const { relname, attname, sequence } of found)
    await run(`SELECT setval($1, coalesce(max(${String(attname)}), 0) + 1, false) FROM ${String(relname)}`, [
      String(sequence),
    ])
}

/** Yields the lines of a file in order, many at a time. */
async function* readLines(file: string): AsyncGenerator<readonly string[]> {
  const input = createReadStream(file)
  const text = createGunzip()
  input.once('error', (error) => text.destroy(error))
  // The reader gets the error; a file that cannot be opened has no reader yet.
  text.on('error', () => undefined)
  input.pipe(text)
  await once(input, 'open')
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
}
