import type { StoredEvent } from '@panoptes/schema'
import { agentOf, isAlive, isKind, isReminder } from '@panoptes/schema/reading'
import { type Projection, type Rows, rowKey } from '../projection.ts'
import { askerOf } from './asker.ts'
import { guessFailed, linkFailed, noteFailed } from './failed-calls.ts'
import { follow } from './follow.ts'
import { isBeforeOver, isWritten } from './late.ts'
import { endSession, leaveBehind, settle } from './life.ts'
import { noteParent, remember } from './links.ts'
import { isAgentRow, MAIN, newAgent, type Row, type SessionRow } from './row.ts'
import { madeByCall, sessionOf } from './session.ts'
import { withBookLast } from './stated.ts'

export const ALIVE = 'alive'
export const ENDED = 'ended'
/** Sessions that may go on, and those that ended. */
export const OPEN_SESSION = 'session'
export const CLOSED_SESSION = 'session-over'
export const HIDDEN_SESSION = 'session-hidden'

/** What says that there is an agent. Anything else is said of one that is known, or of nobody. */
const MAKES: ReadonlySet<string> = new Set([
  'session_start',
  'prompt',
  'agent_spawn',
  'agent_link',
  'agent_wait',
  'agent_done',
  'tool_use',
  'tool_done',
  'usage',
  'status',
  'claim',
])

/** Who is there, who made whom, and how each is. */
export const agentsProjection: Projection<Row> = {
  name: 'agents',
  version: 12,
  apply: (rows, event) => {
    const group = rowKey(event.source, event.session_id)
    const session = sessionOf(rows, group, event.ts)
    change(rows, group, session, event)
    // Last, since everything above may change it.
    rows.set(group, session)
  },
  place: (row) =>
    isAgentRow(row)
      ? {
          group: rowKey(row.source, row.session_id),
          tag: isAlive(row.state) ? ALIVE : ENDED,
          order: row.ended_at ?? row.started_at,
          ref: row.id,
        }
      : { group: row.session_of, tag: sessionTag(row), order: row.last_at, ref: '' },
}

function change(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): void {
  if (isOfHook(rows, group, session, event)) return
  if (event.event === 'session_end') {
    endAll(rows, group, session, event)
    return
  }
  const opens = event.event === 'session_start' || event.event === 'prompt'
  if (session.over && opens && !isBeforeOver(session, event)) open(session)
  const id = idOf(rows, group, session, event)
  if (id !== undefined) tell(rows, group, session, id, event)
}

function sessionTag(row: SessionRow): string {
  if (row.hidden) return HIDDEN_SESSION
  return row.over ? CLOSED_SESSION : OPEN_SESSION
}

/**
 * What a hook started is not shown. Only some of its events may say so, so the whole session goes by them; but what a hook
 * does with a session that somebody is at work in neither hides nor changes that.
 */
function isOfHook(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): boolean {
  if (event.from_hook !== true) {
    // Who started it is not written down: that is for its hooks to tell.
    if (isWritten(event)) return session.hidden
    if (event.event === 'session_start') session.hidden = false
    else if (!session.hidden) session.own = true
    return session.hidden
  }
  if (session.own || session.hidden) return true
  session.hidden = true
  for (const [key, row] of rows.group(group)) if (isAgentRow(row)) rows.remove(key)
  return true
}

function open(session: SessionRow): void {
  session.over = false
  session.era += 1
}

function endAll(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): void {
  session.over = true
  session.over_at = event.ts
  for (const [key, row] of rows.alive(group)) {
    if (!isAgentRow(row)) continue
    endSession(row, event.ts)
    settle(row)
    rows.set(key, row)
  }
}

/** Which agent the event is about; emitters that know only the session or the call name that instead. */
function idOf(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): string | undefined {
  const id = agentOf(event)
  if (isKind(event, 'agent_link')) {
    if (event.tool_use_id && id !== undefined) remember(rows, group, session, event)
    else if (event.tool_use_id) {
      const made = madeByCall(session, event.tool_use_id)
      if (made === undefined && event.status === 'failed') noteFailed(rows, group, session, event)
      return made
    }
  }
  if (isReminder(event) && (id ?? MAIN) === MAIN) return askerOf(rows, group, event)
  if (id !== undefined) return id === event.session_id ? MAIN : (madeByCall(session, id) ?? id)
  return event.event.startsWith('agent_') && event.event !== 'agent_wait' ? undefined : MAIN
}

function tell(rows: Rows<Row>, group: string, session: SessionRow, id: string, event: StoredEvent): void {
  const key = rowKey(group, id)
  const known = rows.get(key)
  const isNew = !isAgentRow(known)
  if (isNew && !MAKES.has(event.event)) return
  const before = isNew ? newAgent(id, event, session.era) : known
  if (before.book.era !== session.era) leaveBehind(before, session.era)
  follow(before, event, session)
  const row = withBookLast(before, event.event)
  const linked = isKind(event, 'agent_link') && event.tool_use_id
  if (linked) linkFailed(session, row, linked)
  if (session.over) endSession(row, event.ts)
  settle(row)
  rows.set(key, row)
  const spawned = event.event === 'agent_spawn'
  if (spawned || linked) noteParent(rows, group, session, row)
  if (session.failed.length > 0 && (isNew || spawned || linked))
    guessFailed(rows, group, session, linked ? undefined : row)
}
