import type { SessionRef } from '@panoptes/schema'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import { isForgottenTurn } from '../forgotten-sessions.ts'
import type { TraceBounds, TraceLine, TraceLines, TraceQuery } from '../traces-port.ts'
import type { Ask } from './auxiliary-tables.ts'
import type { Connection, Database } from './database.ts'

/** Sessions are found by a hash, because their names may be too long for an index. */
export const traceTables = `
  CREATE TABLE trace_lines (
    number bigserial PRIMARY KEY,
    ts bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    turn_id text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    line text NOT NULL
  );
  CREATE INDEX trace_lines_session ON trace_lines (md5(session_id), number);
  CREATE INDEX trace_lines_turn ON trace_lines (turn_id);`

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const OF_SESSION = 'md5(session_id) = md5($1) AND session_id = $1'
const OF_TURN = (parameter: string) => `turn_id >= ${parameter} AND turn_id < ${parameter} || chr(1114111)`

/**
 * When the lines exceed the limit, they are trimmed to this share of it, so that the next line does not
 * trigger another trim.
 */
const ENOUGH = 0.9
/**
 * Because other processes write too, the total is counted again after this share of the limit was written.
 */
const COUNT_AGAIN = 0.01

export function createTraceLines(database: Database, forgotten: ForgottenSessions, ask: Ask): TraceLines {
  let uncounted = Number.POSITIVE_INFINITY
  const put = async ({ session, turn, json }: TraceLine, bounds: TraceBounds): Promise<number> => {
    if (isForgottenTurn(forgotten, session)) return 0
    const added = await database.row(
      `INSERT INTO trace_lines (ts, session_id, turn_id, bytes, line) VALUES (${NOW}, $1, $2, octet_length($3), $3)
       RETURNING number, bytes`,
      [session, turn, json],
    )
    const number = Number(added?.number)
    const gone = await database.run(deleteOldest(`WHERE ${OF_SESSION}`), [session, bounds.ofSession, number])
    uncounted += Number(added?.bytes)
    if (uncounted < bounds.ofAll * COUNT_AGAIN) return gone
    uncounted = 0
    if ((await countBytes(database)) <= bounds.ofAll) return gone
    return gone + (await database.run(deleteOldest('WHERE $1'), [true, bounds.ofAll * ENOUGH, number]))
  }
  return {
    put: (line, bounds) => ask(() => put(line, bounds)),
    read: (query) => ask(() => database.snapshot((connection) => read(connection, query))),
    sessions: (begin, limit) =>
      ask(async () => {
        const found = await database.rows(
          `SELECT session_id, sum(bytes)::bigint AS bytes, max(ts) AS modified_at FROM trace_lines
           WHERE starts_with(session_id, $1) GROUP BY session_id ORDER BY max(number) DESC LIMIT $2`,
          [begin, limit],
        )
        return found.map(({ session_id, bytes, modified_at }) => ({
          session_id: String(session_id),
          bytes: Number(bytes),
          modified_at: Number(modified_at),
        }))
      }),
    findSession: (turn) =>
      ask(async () => {
        const found = await database.row(
          `SELECT session_id FROM trace_lines WHERE ${OF_TURN('$1')} ORDER BY number DESC LIMIT 1`,
          [turn],
        )
        return found === undefined ? null : String(found.session_id)
      }),
    bytes: () => ask(() => countBytes(database)),
    forget: (sessions) =>
      ask(() => database.run('DELETE FROM trace_lines WHERE session_id = ANY($1::text[])', [sessions])),
  }
}

/** Deletes the oldest lines that exceed the limit, but never the line that was just added. */
const deleteOldest = (which: string): string => `
  DELETE FROM trace_lines WHERE number IN (
    SELECT number FROM (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS held FROM trace_lines ${which}) AS held_by
    WHERE held > $2 AND number <> $3)`

async function countBytes({ row }: Pick<Database, 'row'>): Promise<number> {
  const found = await row('SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM trace_lines')
  return Number(found?.bytes)
}

async function read(
  { row, rows }: Connection,
  { session, turn, most, mostBytes }: TraceQuery,
): Promise<{ readonly lines: readonly string[]; readonly older: number }> {
  const where = `FROM trace_lines WHERE ${OF_SESSION}${turn === undefined ? '' : ` AND ${OF_TURN('$2')}`}`
  const values = turn === undefined ? [session] : [session, turn]
  const [few, small] = [`$${values.length + 1}`, `$${values.length + 2}`]
  const found = await rows(
    `SELECT line FROM trace_lines WHERE number IN (
       SELECT number FROM (
         SELECT number, row_number() OVER newest AS at, sum(bytes) OVER newest AS held ${where} WINDOW newest AS (ORDER BY number DESC)
       ) AS held_by WHERE at = 1 OR at <= ${few} AND held <= ${small})
     ORDER BY number`,
    [...values, most, mostBytes],
  )
  const all = await row(`SELECT count(*) AS count ${where}`, values)
  return { lines: found.map(({ line }) => String(line)), older: Number(all?.count) - found.length }
}

/** Sessions of Hermes that run through Panoptes have the id that Hermes uses. */
export async function forgetTraceLines(
  { run }: Connection,
  { source, id }: SessionRef,
): Promise<Readonly<Record<string, number>>> {
  if (source !== 'panoptes' && source !== 'hermes') return {}
  const traces = await run(`DELETE FROM trace_lines WHERE ${OF_SESSION}`, [id])
  return traces === 0 ? {} : { traces }
}
