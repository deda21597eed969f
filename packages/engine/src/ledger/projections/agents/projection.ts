import type { StoredEvent } from '@panoptes/schema'
import { agentOf, isAlive, isKind } from '@panoptes/schema/reading'
import { type Projection, type Rows, rowKey } from '../projection.ts'
import { follow } from './follow.ts'
import { endSession, settle } from './life.ts'
import { isAgentRow, MAIN, newAgent, newSession, type Row, type SessionRow } from './row.ts'

export const ALIVE = 'alive'
export const ENDED = 'ended'
/** Sessions that may go on, and those that ended. */
export const OPEN_SESSION = 'session'
export const CLOSED_SESSION = 'session-over'
export const HIDDEN_SESSION = 'session-hidden'
/** Calls that are remembered with the agent they made. */
const MOST_CALLS = 1_000

/** Who is there, who made whom, and how each is. */
export const agentsProjection: Projection<Row> = {
  name: 'agents',
  version: 4,
  apply: (rows, event) => {
    const group = rowKey(event.source, event.session_id)
    const session = sessionOf(rows, group, event.ts)
    rows.set(group, session)
    if (isOfHook(rows, group, session, event)) return
    if (event.event === 'session_end') return endAll(rows, group, session, event)
    if (event.event === 'session_start' || event.event === 'prompt') session.over = false
    if (isKind(event, 'agent_link') && event.tool_use_id) remember(rows, group, session, event)
    const id = idOf(rows, group, session, event)
    if (id === undefined) return
    const key = rowKey(group, id)
    const known = rows.get(key)
    const row = isAgentRow(known) ? known : newAgent(id, event)
    follow(row, event)
    if (session.over) endSession(row, event.ts)
    settle(row)
    rows.set(key, row)
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
    if (event.event === 'session_start') session.hidden = false
    else if (!session.hidden) session.own = true
    return session.hidden
  }
  if (session.own || session.hidden) return true
  session.hidden = true
  for (const [key, row] of rows.group(group)) if (isAgentRow(row)) rows.remove(key)
  return true
}

function sessionOf(rows: Rows<Row>, group: string, ts: number): SessionRow {
  const known = rows.get(group)
  const session = known === undefined || isAgentRow(known) ? newSession(group, ts) : known
  session.last_at = Math.max(session.last_at, ts)
  return session
}

function endAll(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): void {
  session.over = true
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
  if (id !== undefined) return id === event.session_id ? MAIN : (madeByCall(session, id) ?? id)
  if (isKind(event, 'agent_link')) return event.tool_use_id ? madeBy(rows, group, session, event) : undefined
  return event.event.startsWith('agent_') && event.event !== 'agent_wait' ? undefined : MAIN
}

const madeByCall = (session: SessionRow, call: string): string | undefined =>
  Object.hasOwn(session.made, call) ? session.made[call] : undefined

/** A failed call does not say which agent it made: the one it is known to have made, or the only one it can be. */
function madeBy(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  event: StoredEvent & {
    readonly tool_use_id?: string | null | undefined
    readonly subagent_type?: string | null | undefined
  },
): string | undefined {
  const known = madeByCall(session, event.tool_use_id ?? '')
  if (known !== undefined) return known
  const able = rows
    .alive(group)
    .map(([, row]) => row)
    .filter(isAgentRow)
    .filter((row) => row.id !== MAIN && row.tool_use_id === null && isAlive(row.state))
    .filter((row) => !event.subagent_type || row.subagent_type === event.subagent_type)
  return able.length === 1 ? able[0]?.id : undefined
}

/** The call that made an agent became known: what was told under the call's name is the agent's. */
function remember(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  event: StoredEvent & {
    readonly id?: string | null | undefined
    readonly tool_use_id?: string | null | undefined
  },
): void {
  const { id, tool_use_id: call } = event
  if (!id || !call || call === '__proto__' || madeByCall(session, call) === id) return
  session.made[call] = id
  const [oldest, ...others] = Object.keys(session.made)
  if (oldest !== undefined && others.length >= MOST_CALLS) delete session.made[oldest]
  const before = rows.get(rowKey(group, call))
  if (!isAgentRow(before)) return
  rows.remove(rowKey(group, call))
  if (rows.get(rowKey(group, id)) === undefined) rows.set(rowKey(group, id), { ...before, id })
}
