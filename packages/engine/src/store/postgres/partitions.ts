import type { Connection } from './database.ts'

const PREFIX = 'events_p'

/** Yields the partitions that contain the events of a range of seqs. */
export function* partitionRange(first: number, last: number, span: number): Iterable<number> {
  for (let at = Math.floor(first / span); at <= Math.floor(last / span); at += 1) yield at
}

/** Creates the partition beside the table and attaches it, which blocks no reader. */
export async function makePartition(connection: Connection, at: number, span: number): Promise<void> {
  const name = `${PREFIX}${at}`
  const from = at * span
  const found = await connection.row('SELECT to_regclass($1) AS there', [name])
  if (found?.there !== null) return
  await connection.run(
    `CREATE TABLE ${name} (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
  )
  await connection.run(
    `ALTER TABLE events ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${from + span})`,
  )
}

/**
 * Lists the existing partitions, oldest first. It leaves out a partition whose removal was interrupted by a
 * crash.
 */
export async function partitionsIn({ rows: ask }: Connection): Promise<readonly number[]> {
  const rows = await ask(
    `SELECT substr(relname, ${PREFIX.length + 1})::bigint AS at FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ~ '^${PREFIX}[0-9]+$' ORDER BY at`,
  )
  return rows.map(({ at }) => Number(at))
}

/** Removes a partition without blocking others: it first waits for everybody who still reads from it. */
export async function dropPartition({ row, run }: Connection, at: number): Promise<void> {
  const name = `${PREFIX}${at}`
  const found = await row(
    'SELECT inhdetachpending AS pending FROM pg_inherits WHERE inhrelid = to_regclass($1)',
    [name],
  )
  if (found !== undefined)
    await run(
      `ALTER TABLE events DETACH PARTITION ${name} ${found.pending === true ? 'FINALIZE' : 'CONCURRENTLY'}`,
    )
  await run(`DROP TABLE IF EXISTS ${name}`)
}
