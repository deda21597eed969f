import type { EventText, SessionName } from '../past/past-sessions.ts'
import type { Connection, Row, Value } from './database.ts'

const STAMPED = `SELECT seq, source, session_id, body FROM log WHERE seq > $1 AND seq <= $2 AND ts <= $3 ORDER BY seq`

/** Events that were stored after one seq and up to another. */
export const storedBetween = (
  connection: Connection,
  after: number,
  upTo: number,
): Promise<readonly EventText[]> => texts(connection, STAMPED, [after, upTo, Number.MAX_SAFE_INTEGER])

/** Events that are stamped up to a time and were stored after a checkpoint, however late they were stored. */
export async function stampedUpTo(
  connection: Connection,
  after: number,
  ts: number,
  end: number,
): Promise<readonly EventText[]> {
  const passed = await connection.row(
    `SELECT (SELECT seq FROM checkpoints WHERE seq > $1 AND clock > $2 ORDER BY seq LIMIT 1) AS seq,
       (SELECT max(seq) FROM checkpoints) AS last`,
    [after, ts],
  )
  if (passed === undefined || passed.seq === null) return texts(connection, STAMPED, [after, end, ts])
  // From here on the clock is past that time. Events that still belong to it came late, and up to the last
  // checkpoint they are recorded as late.
  const until = Number(passed.seq)
  const early = await texts(connection, STAMPED, [after, until, ts])
  const late = await texts(
    connection,
    `SELECT e.seq, e.source, e.session_id, e.body FROM late AS l JOIN log AS e ON e.seq = l.seq
     WHERE l.seq > $1 AND l.ts <= $2 ORDER BY l.seq`,
    [until, ts],
  )
  return [...early, ...late, ...(await texts(connection, STAMPED, [Number(passed.last), end, ts]))]
}

/** The own events of sessions, each after a seq of its own, up to a seq and a time. */
export const ofSessions = (
  connection: Connection,
  wanted: readonly { readonly name: SessionName; readonly after: number }[],
  upTo: number,
  ts: number,
): Promise<readonly EventText[]> =>
  texts(
    connection,
    `SELECT e.seq, e.source, e.session_id, e.body
     FROM unnest($1::text[], $2::text[], $3::bigint[]) AS w (source, session, after),
     LATERAL (SELECT * FROM log WHERE session_id = w.session AND source = w.source
       AND seq > w.after AND seq <= $4 AND ts <= $5) AS e
     ORDER BY e.seq`,
    [
      wanted.map(({ name: [source] }) => source),
      wanted.map(({ name: [, session] }) => session),
      wanted.map(({ after }) => after),
      upTo,
      ts,
    ],
  )

async function texts(
  connection: Connection,
  sql: string,
  values: readonly Value[],
): Promise<readonly EventText[]> {
  return (await connection.rows(sql, values)).map(toEventText)
}

const toEventText = (row: Row): EventText => ({
  seq: Number(row.seq),
  group: [String(row.source), String(row.session_id)],
  body: String(row.body),
})
