import { type Checkpoint, RECENT_MS } from '../past/checkpoint.ts'
import { unpackRows } from '../past/packed-rows.ts'
import { type EventText, PastSessions } from '../past/past-sessions.ts'
import type { Moment, ReplayTexts } from '../port.ts'
import type { Connection, Row } from './database.ts'
import { whole } from './event-reader.ts'
import { storedKey } from './names.ts'
import { parkedFor } from './parked.ts'
import { stampedUpTo, storedBetween } from './past-events.ts'
import { presentRows } from './present-rows.ts'
import { clockAt, newestStamp } from './stamps.ts'

/** What a moment is made of. */
interface Then {
  readonly seq: number
  /** How late it is: who ended long before is not shown. */
  readonly at: number
  readonly checkpoint: Checkpoint
  readonly events: readonly EventText[]
  /** What is stamped later does not count. */
  readonly upTo: number
}

/** The agents at a past moment: the checkpoint before it, and the events since. All within one snapshot. */
export async function replayAt(connection: Connection, moment: Moment): Promise<ReplayTexts> {
  const { seq, at, checkpoint, events, upTo } = await ('ts' in moment
    ? byTime(connection, moment.ts)
    : bySeq(connection, moment.seq))
  const parked = await parkedFor(connection, checkpoint, events, upTo)
  const past = new PastSessions(parked, checkpoint, upTo)
  for (const event of events) past.apply(event)
  const { agents, groups } = past.rows.shown(at - RECENT_MS)
  const sessions = await connection.rows(
    `SELECT doc FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, n)
     JOIN projection_rows AS r ON r.name = 'sessions' AND r.key = wanted.key ORDER BY n`,
    [groups.map(storedKey)],
  )
  return {
    seq,
    agents: `[${agents.join(',')}]`,
    sessions: `[${sessions.map(({ doc }) => String(doc)).join(',')}]`,
  }
}

async function bySeq(connection: Connection, asked: number): Promise<Then> {
  const head = await headOf(connection)
  const seq = Math.min(asked, head.last)
  const found = await connection.row(
    'SELECT seq, clock, rows FROM checkpoints WHERE seq <= $1 ORDER BY seq DESC LIMIT 1',
    [seq],
  )
  const from = { seq: Number(found?.seq ?? head.base), clock: Number(found?.clock ?? 0) }
  const at = Math.max(await clockAt(connection, from, seq), await newestStamp(connection, seq))
  const checkpoint = found ? kept(found) : await base(connection, head.base, at)
  const events = await storedBetween(connection, checkpoint.seq, seq)
  return { seq, at, checkpoint, events, upTo: Number.POSITIVE_INFINITY }
}

async function byTime(connection: Connection, ts: number): Promise<Then> {
  const head = await headOf(connection)
  const time = whole(ts)
  const newest = await connection.row(
    'SELECT seq FROM log WHERE ts <= $1 ORDER BY ts DESC, seq DESC LIMIT 1',
    [time],
  )
  const found = await connection.row(
    'SELECT seq, clock, rows FROM checkpoints WHERE ts <= $1 ORDER BY seq DESC LIMIT 1',
    [time],
  )
  const checkpoint = found ? kept(found) : await base(connection, head.base, time)
  return {
    seq: Number(newest?.seq ?? head.base),
    at: ts,
    checkpoint,
    events: await stampedUpTo(connection, checkpoint.seq, time, head.last),
    upTo: ts,
  }
}

async function headOf({ row }: Connection): Promise<{ readonly base: number; readonly last: number }> {
  const head = await row('SELECT base, last FROM head')
  return { base: Number(head?.base), last: Number(head?.last) }
}

const kept = (found: Row): Checkpoint => ({
  seq: Number(found.seq),
  rows: unpackRows(found.rows as Uint8Array),
  isBase: false,
})

/** Before the first checkpoint: what retention left. A time before all that is kept shows no more than the first one that is. */
async function base(connection: Connection, seq: number, at: number): Promise<Checkpoint> {
  const first = await connection.row('SELECT ts FROM log ORDER BY seq LIMIT 1')
  const endedFrom = Math.max(at, Number(first?.ts ?? 0)) - RECENT_MS
  const rows = await presentRows(connection, 'projection_base', { endedFrom, after: Number.MAX_SAFE_INTEGER })
  return { seq, rows, isBase: true }
}
