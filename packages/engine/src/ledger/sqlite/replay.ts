import { type Checkpoint, RECENT_MS } from '../past/checkpoint.ts'
import { unpackRows } from '../past/packed-rows.ts'
import { type EventText, PastSessions } from '../past/past-sessions.ts'
import type { Moment, ReplayTexts } from '../port.ts'
import { parkedIn } from './parked.ts'
import { stampedUpTo, storedBetween } from './past-events.ts'
import { presentRows } from './present-rows.ts'
import { clockAt, newestStamp } from './stamps.ts'
import type { Statements } from './statements.ts'

/** What a moment is made of. */
interface Then {
  readonly seq: number
  /** How late it is: who ended long before is not shown. */
  readonly at: number
  readonly checkpoint: Checkpoint
  readonly events: Iterable<EventText>
  /** What is stamped later does not count. */
  readonly upTo: number
}

/** The agents at a past moment: the checkpoint before it, and the events since. */
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

function bySeq(statements: Statements, asked: number): Then {
  const seq = Math.min(asked, statements.last())
  const found = statements
    .of('SELECT seq, clock, rows FROM checkpoints WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .get(seq)
  const from = { seq: Number(found?.seq ?? statements.base()), clock: Number(found?.clock ?? 0) }
  const at = Math.max(clockAt(statements, from, seq), newestStamp(statements, seq))
  const checkpoint = found ? kept(found) : base(statements, at)
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
  const checkpoint = found ? kept(found) : base(statements, ts)
  return {
    seq: Number(newest?.seq ?? statements.base()),
    at: ts,
    checkpoint,
    events: stampedUpTo(statements, checkpoint.seq, ts),
    upTo: ts,
  }
}

const kept = (found: Readonly<Record<string, unknown>>): Checkpoint => ({
  seq: Number(found.seq),
  rows: unpackRows(found.rows as Uint8Array),
  isBase: false,
})

/** Before the first checkpoint: what retention left. A time before all that is kept shows no more than the first one that is. */
function base(statements: Statements, at: number): Checkpoint {
  const first = statements.of('SELECT ts FROM events WHERE ts >= 0 ORDER BY seq LIMIT 1').get()
  const endedFrom = Math.max(at, Number(first?.ts ?? 0)) - RECENT_MS
  const rows = [...presentRows(statements, 'projection_base', { endedFrom, after: Number.MAX_SAFE_INTEGER })]
  return { seq: statements.base(), rows, isBase: true }
}
