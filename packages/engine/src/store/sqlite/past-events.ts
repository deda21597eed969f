import type { EventText } from '../past/past-sessions.ts'
import type { Statements } from './statements.ts'

type Found = Readonly<Record<string, unknown>>

const FIELDS = 'e.seq, e.source, e.session_id, e.body'

/** Events that were stored after one seq and up to another. */
export const storedBetween = (statements: Statements, after: number, upTo: number): Iterable<EventText> =>
  texts(
    statements
      .of(`SELECT ${FIELDS} FROM events AS e WHERE seq > ? AND seq <= ? AND ts >= 0 ORDER BY seq`)
      .iterate(after, upTo),
  )

/** Events that are stamped up to a time and were stored after a checkpoint, however late they were stored. */
export function* stampedUpTo(statements: Statements, after: number, ts: number): Iterable<EventText> {
  const stamped = statements.of(
    `SELECT ${FIELDS} FROM events AS e NOT INDEXED WHERE seq > ? AND seq <= ? AND ts >= 0 AND ts <= ? ORDER BY seq`,
  )
  const passed = statements
    .of(
      'SELECT seq FROM checkpoints INDEXED BY checkpoints_time WHERE seq > ? AND clock > ? ORDER BY seq LIMIT 1',
    )
    .get(after, ts)
  const end = statements.last()
  if (passed === undefined) {
    yield* texts(stamped.iterate(after, end, ts))
    return
  }
  // From here on the clock is past that time. Events that still belong to it came late, and up to the last
  // checkpoint they are recorded as late.
  const until = Number(passed.seq)
  yield* texts(stamped.iterate(after, until, ts))
  const late = statements.of(
    `SELECT ${FIELDS} FROM late AS l CROSS JOIN events AS e ON e.seq = l.seq WHERE l.seq > ? AND l.ts <= ? AND e.ts >= 0 ORDER BY l.seq`,
  )
  yield* texts(late.iterate(until, ts))
  const last = Number(statements.of('SELECT max(seq) AS seq FROM checkpoints').get()?.seq ?? until)
  yield* texts(stamped.iterate(last, end, ts))
}

/** A session's own events after one seq and up to another, and up to a time. */
export const ofSession = (
  statements: Statements,
  [source, session]: EventText['group'],
  after: number,
  upTo: number,
  ts: number,
): Iterable<EventText> =>
  texts(
    statements
      .of(
        `SELECT ${FIELDS} FROM events AS e INDEXED BY events_session
         WHERE session_id = ? AND source = ? AND seq > ? AND seq <= ? AND ts <= ? ORDER BY seq`,
      )
      .all(session, source, after, upTo, ts),
  )

function* texts(rows: Iterable<Found>): Iterable<EventText> {
  for (const row of rows) {
    yield {
      seq: Number(row.seq),
      group: [String(row.source), String(row.session_id)],
      body: String(row.body),
    }
  }
}
