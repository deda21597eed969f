import type { SessionSummary } from '@panoptes/schema'
import { type Checkpoint, isAhead, RECENT_MS } from '../past/checkpoint.ts'
import { type PackedRow, unpackRows } from '../past/packed-rows.ts'
import { type EventText, type Parked, PastSessions, type SessionName } from '../past/past-sessions.ts'
import type { Moment, ReplayTexts } from '../port.ts'
import { rowKey } from '../projections/index.ts'
import type { Connection, Row, Value } from './database.ts'
import { whole } from './event-reader.ts'
import { toStoredKey } from './names.ts'
import { presentRows, rowsOfGroups } from './present-rows.ts'
import { clockAt, newestStamp } from './stamps.ts'

/** Defines a past moment. */
interface Then {
  readonly seq: number
  /** The time of the moment. Agents that ended long before it are not shown. */
  readonly at: number
  readonly checkpoint: Checkpoint
  readonly events: readonly EventText[]
  /** Events stamped later do not count. */
  readonly upTo: number
}

const STAMPED = `SELECT seq, source, session_id, body FROM log WHERE seq > $1 AND seq <= $2 AND ts <= $3 ORDER BY seq`

/**
 * Computes the agents at a past moment from the checkpoint before it and the events since, within one
 * snapshot.
 */
export async function replayAt(connection: Connection, moment: Moment): Promise<ReplayTexts> {
  const { seq, at, checkpoint, events, upTo } = await ('ts' in moment
    ? readStartByTime(connection, moment.ts)
    : readStartBySeq(connection, moment.seq))
  const parked = await readParked(connection, checkpoint, events, upTo)
  const past = new PastSessions(parked, checkpoint, upTo)
  for (const event of events) past.apply(event)
  const { agents, groups } = past.rows.shown(at - RECENT_MS)
  const sessions = await connection.rows(
    `SELECT doc FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, n)
     JOIN projection_rows AS r ON r.name = 'sessions' AND r.key = wanted.key ORDER BY n`,
    [groups.map(toStoredKey)],
  )
  return {
    seq,
    agents: `[${agents.join(',')}]`,
    sessions: `[${sessions.map(({ doc }) => String(doc)).join(',')}]`,
  }
}

async function readStartBySeq(connection: Connection, requested: number): Promise<Then> {
  const head = await readHead(connection)
  const seq = Math.min(requested, head.last)
  const found = await connection.row(
    'SELECT seq, clock, rows FROM checkpoints WHERE seq <= $1 ORDER BY seq DESC LIMIT 1',
    [seq],
  )
  const from = { seq: Number(found?.seq ?? head.base), clock: Number(found?.clock ?? 0) }
  const at = Math.max(await clockAt(connection, from, seq), await newestStamp(connection, seq))
  const checkpoint = found ? toCheckpoint(found) : await base(connection, head.base, at)
  const events = await readStoredBetween(connection, checkpoint.seq, seq)
  return { seq, at, checkpoint, events, upTo: Number.POSITIVE_INFINITY }
}

async function readStartByTime(connection: Connection, ts: number): Promise<Then> {
  const head = await readHead(connection)
  const time = whole(ts)
  const newest = await connection.row(
    'SELECT seq FROM log WHERE ts <= $1 ORDER BY ts DESC, seq DESC LIMIT 1',
    [time],
  )
  const found = await connection.row(
    'SELECT seq, clock, rows FROM checkpoints WHERE ts <= $1 ORDER BY seq DESC LIMIT 1',
    [time],
  )
  const checkpoint = found ? toCheckpoint(found) : await base(connection, head.base, time)
  return {
    seq: Number(newest?.seq ?? head.base),
    at: ts,
    checkpoint,
    events: await readStampedUpTo(connection, checkpoint.seq, time, head.last),
    upTo: ts,
  }
}

async function readHead({ row }: Connection): Promise<{ readonly base: number; readonly last: number }> {
  const head = await row('SELECT base, last FROM head')
  return { base: Number(head?.base), last: Number(head?.last) }
}

const toCheckpoint = (found: Row): Checkpoint => ({
  seq: Number(found.seq),
  rows: unpackRows(found.rows as Uint8Array),
  isBase: false,
})

/**
 * Returns the state before the first checkpoint, which is what retention left. A time before everything
 * stored shows no more than the first stored event.
 */
async function base(connection: Connection, seq: number, at: number): Promise<Checkpoint> {
  const first = await connection.row('SELECT ts FROM log ORDER BY seq LIMIT 1')
  const endedFrom = Math.max(at, Number(first?.ts ?? 0)) - RECENT_MS
  const rows = await presentRows(connection, 'projection_base', { endedFrom, after: Number.MAX_SAFE_INTEGER })
  return { seq, rows, isBase: true }
}

interface State {
  readonly seq: number
  readonly rows: readonly PackedRow[]
}

/** Reads, in few queries, everything that a replay may need of sessions outside its checkpoint. */
async function readParked(
  connection: Connection,
  checkpoint: Checkpoint,
  events: readonly EventText[],
  ts: number,
): Promise<Parked> {
  const names = await findNames(connection, checkpoint, events, ts)
  const groups = [...names.keys()]
  const parked = await readLastStates(connection, groups, checkpoint.seq)
  const isUsable = (group: string) => parked.get(group)?.rows.some((row) => isAhead(row, ts)) === false
  const base = await rowsOfGroups(
    connection,
    'projection_base',
    groups.filter((group) => !isUsable(group)),
  )
  const wanted = [...names].map(([group, name]) => ({
    name,
    after: isUsable(group) ? (parked.get(group)?.seq ?? 0) : 0,
  }))
  const own = await readSessionEvents(connection, wanted, checkpoint.seq, whole(ts))
  const byGroup = Map.groupBy(own, ({ group }) => rowKey(...group))
  return {
    findName: (group) => names.get(group),
    readState: (group) => parked.get(group),
    base: (group) => base.get(group) ?? [],
    events: (name) => byGroup.get(rowKey(...name)) ?? [],
  }
}

/** Finds the sessions outside the checkpoint, and those in it that already include later events. */
async function findNames(
  connection: Connection,
  checkpoint: Checkpoint,
  events: readonly EventText[],
  ts: number,
): Promise<ReadonlyMap<string, SessionName>> {
  const there = new Set(checkpoint.rows.map(({ group }) => group))
  const names = new Map<string, SessionName>()
  for (const { group } of events) {
    const key = rowKey(...group)
    if (!there.has(key)) names.set(key, group)
  }
  const ahead = checkpoint.isBase ? [] : checkpoint.rows.filter((row) => isAhead(row, ts))
  if (ahead.length === 0) return names
  const rows = await connection.rows(
    `SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ANY($1)`,
    [ahead.map(({ group }) => toStoredKey(group))],
  )
  for (const { doc } of rows) {
    const { source, session_id } = JSON.parse(String(doc)) as SessionSummary
    names.set(rowKey(source, session_id), [source, session_id])
  }
  return names
}

async function readLastStates(
  connection: Connection,
  groups: readonly string[],
  upTo: number,
): Promise<ReadonlyMap<string, State>> {
  if (groups.length === 0) return new Map()
  const rows = await connection.rows(
    `SELECT n, seq, rows FROM unnest($1::text[]) WITH ORDINALITY AS wanted (grp, n),
     LATERAL (SELECT seq, rows FROM parked AS p WHERE p.grp = wanted.grp AND p.seq <= $2 ORDER BY p.seq DESC LIMIT 1) AS last`,
    [groups.map(toStoredKey), upTo],
  )
  return new Map(
    rows.map(({ n, seq, rows: packed }) => [
      groups[Number(n) - 1] ?? '',
      { seq: Number(seq), rows: unpackRows(packed as Uint8Array) },
    ]),
  )
}

/** Events that were stored after one seq and up to another. */
const readStoredBetween = (
  connection: Connection,
  after: number,
  upTo: number,
): Promise<readonly EventText[]> => texts(connection, STAMPED, [after, upTo, Number.MAX_SAFE_INTEGER])

/** Events that are stamped up to a time and were stored after a checkpoint, however late they were stored. */
async function readStampedUpTo(
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
const readSessionEvents = (
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
