import type { SessionSummary } from '@panoptes/schema'
import { type Checkpoint, RECENT_MS } from '../past/checkpoint.ts'
import { unpackRows } from '../past/packed-rows.ts'
import { type EventText, type Parked, PastSessions } from '../past/past-sessions.ts'
import type { Moment, ReplayTexts } from '../port.ts'
import { presentRows, rowsOfGroup } from './present-rows.ts'
import { clockAt, newestStamp } from './stamps.ts'
import type { Statements } from './statements.ts'

/** Defines a past moment. */
interface Then {
  readonly seq: number
  /** The time of the moment. Agents that ended long before it are not shown. */
  readonly at: number
  readonly checkpoint: Checkpoint
  readonly events: Iterable<EventText>
  /** Events stamped later do not count. */
  readonly upTo: number
}

type Found = Readonly<Record<string, unknown>>

const FIELDS = 'e.seq, e.source, e.session_id, e.body'

/** Computes the agents at a past moment from the checkpoint before it and the events since. */
export function replayAt(statements: Statements, moment: Moment): ReplayTexts {
  const { seq, at, checkpoint, events, upTo } =
    'ts' in moment ? byTime(statements, moment.ts) : bySeq(statements, moment.seq)
  const past = new PastSessions(parkedIn(statements), checkpoint, upTo)
  for (const event of events) past.apply(event)
  const { agents, groups } = past.rows.shown(at - RECENT_MS)
  const session = statements.of("SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ?")
  const sessions = groups.flatMap((group) => session.get(group)?.doc ?? [])
  return { seq, agents: `[${agents.join(',')}]`, sessions: `[${sessions.join(',')}]` }
}

function bySeq(statements: Statements, requested: number): Then {
  const seq = Math.min(requested, statements.last())
  const found = statements
    .of('SELECT seq, clock, rows FROM checkpoints WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .get(seq)
  const from = { seq: Number(found?.seq ?? statements.base()), clock: Number(found?.clock ?? 0) }
  const at = Math.max(clockAt(statements, from, seq), newestStamp(statements, seq))
  const checkpoint = found ? toCheckpoint(found) : base(statements, at)
  return { seq, at, checkpoint, events: storedBetween(statements, checkpoint.seq, seq), upTo: Infinity }
}

function byTime(statements: Statements, ts: number): Then {
  const newest = statements
    .of('SELECT seq FROM events WHERE ts >= 0 AND ts <= ? ORDER BY ts DESC, seq DESC LIMIT 1')
    .get(ts)
  const near = statements
    .of('SELECT seq FROM checkpoints INDEXED BY checkpoints_time WHERE ts <= ? ORDER BY seq DESC LIMIT 1')
    .get(ts)
  const found =
    near && statements.of('SELECT seq, clock, rows FROM checkpoints WHERE seq = ?').get(Number(near.seq))
  const checkpoint = found ? toCheckpoint(found) : base(statements, ts)
  return {
    seq: Number(newest?.seq ?? statements.base()),
    at: ts,
    checkpoint,
    events: stampedUpTo(statements, checkpoint.seq, ts),
    upTo: ts,
  }
}

const toCheckpoint = (found: Readonly<Record<string, unknown>>): Checkpoint => ({
  seq: Number(found.seq),
  rows: unpackRows(found.rows as Uint8Array),
  isBase: false,
})

/**
 * Returns the state before the first checkpoint, which is what retention left. A time before everything
 * stored shows no more than the first stored event.
 */
function base(statements: Statements, at: number): Checkpoint {
  const first = statements.of('SELECT ts FROM events WHERE ts >= 0 ORDER BY seq LIMIT 1').get()
  const endedFrom = Math.max(at, Number(first?.ts ?? 0)) - RECENT_MS
  const rows = [...presentRows(statements, 'projection_base', { endedFrom, after: Number.MAX_SAFE_INTEGER })]
  return { seq: statements.base(), rows, isBase: true }
}

/** Loads sessions when an event mentions them. */
const parkedIn = (statements: Statements): Parked => ({
  findName: (group) => {
    const row = statements
      .of("SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ?")
      .get(group)
    if (row === undefined) return undefined
    const { source, session_id } = JSON.parse(String(row.doc)) as SessionSummary
    return [source, session_id]
  },
  readState: (group, upTo) => {
    const parked = statements
      .of('SELECT seq, rows FROM parked WHERE grp = ? AND seq <= ? ORDER BY seq DESC LIMIT 1')
      .get(group, upTo)
    if (parked === undefined) return undefined
    return { seq: Number(parked.seq), rows: unpackRows(parked.rows as Uint8Array) }
  },
  base: (group) => rowsOfGroup(statements, 'projection_base', group),
  events: (name, after, upTo, ts) => ofSession(statements, name, after, upTo, ts),
})

/** Events that were stored after one seq and up to another. */
const storedBetween = (statements: Statements, after: number, upTo: number): Iterable<EventText> =>
  texts(
    statements
      .of(`SELECT ${FIELDS} FROM events AS e WHERE seq > ? AND seq <= ? AND ts >= 0 ORDER BY seq`)
      .iterate(after, upTo),
  )

/** Events that are stamped up to a time and were stored after a checkpoint, however late they were stored. */
function* stampedUpTo(statements: Statements, after: number, ts: number): Iterable<EventText> {
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
const ofSession = (
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
