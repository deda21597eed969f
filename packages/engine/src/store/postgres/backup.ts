import { closeSync, createWriteStream, fsyncSync, openSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Job } from '@panoptes/engine/worker-rpc'
import type { BackupReply } from '@panoptes/schema'
import { to } from 'pg-copy-streams'
import { stoppedFailure, writeNewFile } from '../new-file.ts'
import { type Connection, type Database, runTransaction, SNAPSHOT } from './database.ts'
import { toFailure } from './failures.ts'

export const FORMAT = 'panoptes ledger dump 1'

/** Marks the end of a table's rows. No row can look like it. */
export const END = '\\.'

/** Copies one snapshot of the store, table by table, while appends continue. */
export const backup = (
  database: Database,
  target: string,
  replace: boolean,
  job: Job,
): Promise<BackupReply> =>
  writeNewFile(target, replace, toFailure, (partial) =>
    database.withoutTimeout((connection) =>
      runTransaction(connection, `${SNAPSHOT} READ ONLY`, async () => {
        // No partition can be dropped from here on.
        await connection.run('LOCK TABLE events IN ACCESS SHARE MODE')
        const head = await connection.row(
          'SELECT base, last, (SELECT count(*) FROM events WHERE ts < 0 AND seq > base) AS forgotten FROM head',
        )
        const last = Number(head?.last)
        const rows = last - Number(head?.base)
        const events = rows - Number(head?.forgotten)
        await pipeline(
          Readable.from(backupText(connection, rows, job, target)),
          createGzip({ level: 1 }),
          createWriteStream(partial),
        )
        sync(partial)
        return { path: target, bytes: statSync(partial).size, events, last_seq: last }
      }),
    ),
  )

async function* backupText(
  connection: Connection,
  most: number,
  job: Job,
  target: string,
): AsyncIterable<string | Buffer> {
  const version = await connection.row('SELECT max(version) AS version FROM schema_versions')
  yield `${FORMAT}\n${JSON.stringify({ version: Number(version?.version) })}\n`
  let done = 0
  const report = (rows: number) => {
    done += rows
    job.progress(Math.min(done, most), most)
    if (job.stopped()) throw stoppedFailure(target)
  }
  report(0)
  for (const table of await tablesIn(connection)) {
    const columns = await tableColumns(connection, table)
    yield `${JSON.stringify({ table, columns })}\n`
    // Partitions before the start of the log are about to be dropped.
    const rows =
      table === 'events' ? `SELECT ${columns.join(', ')} FROM events WHERE seq > (SELECT base FROM head)` : ''
    const from = rows === '' ? `${table} (${columns.join(', ')})` : `(${rows})`
    for await (const chunk of connection.client.query(to(`COPY ${from} TO STDOUT`))) {
      yield chunk as Buffer
      report(table === 'events' ? linesIn(chunk as Buffer) : 0)
    }
    yield `${END}\n`
  }
  yield `${JSON.stringify({ end: true })}\n`
}

/**
 * Lists all tables with data, whichever version created them. It leaves out unlogged tables, which are
 * temporary, and partitions, which are part of their table. Indexes can be rebuilt.
 */
async function tablesIn({ rows }: Connection): Promise<readonly string[]> {
  const found = await rows(
    `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relpersistence = 'p' AND relname <> 'schema_versions' AND relname !~ '^(events_p[0-9]+$|index_)'
     ORDER BY relname = 'events', relname`,
  )
  return found.map(({ relname }) => String(relname))
}

async function tableColumns({ rows }: Connection, table: string): Promise<readonly string[]> {
  const found = await rows(
    `SELECT attname FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  )
  return found.map(({ attname }) => String(attname))
}

const NEW_LINE = 10

function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, at + 1)) lines += 1
  return lines
}

function sync(file: string): void {
  const open = openSync(file, 'r')
  fsyncSync(open)
  closeSync(open)
}
