import type { StoredEvent } from '@panoptes/schema'
import { isAlive, isKind, isReminder, readAgentId } from '@panoptes/schema/reading'
import { type Projection, type Rows, rowKey } from '../projection.ts'
import { CountedRows } from '../sub-agent-counts.ts'
import { endSession, resetForEra, settle } from './agent-state.ts'
import { guessFailed, linkFailed, noteFailed } from './failed-calls.ts'
import { follow } from './follow.ts'
import { isBeforeOver, isWritten } from './late-events.ts'
import { mergeMarkers, moveBookLast } from './markers.ts'
import { type AgentRow, isAgentRow, MAIN, newAgent, type Row, type SessionRow } from './row.ts'
import { findAgentOfCall, loadSession, recordMaker } from './session.ts'
import { isAsking, toolIn } from './waits.ts'

export const ALIVE = 'alive'
export const ENDED = 'ended'
/** The tags of sessions that may continue and of those that ended. */
export const OPEN_SESSION = 'session'
export const CLOSED_SESSION = 'session-over'
export const HIDDEN_SESSION = 'session-hidden'

/**
 * Events that prove that an agent exists. Every other event applies only to an agent that is already known.
 */
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

/** Tracks which agents exist, who started them, and their state. */
export const agentsProjection: Projection<Row> = {
  name: 'agents',
  version: 14,
  apply: (bare, event, subAgents) => {
    const rows = subAgents === undefined ? bare : new CountedRows(bare, subAgents)
    const group = rowKey(event.source, event.session_id)
    const session = loadSession(rows, group, event.ts)
    change(rows, group, session, event)
    // This comes last, because everything above may change the session.
    rows.set(group, session)
  },
  place: (row) =>
    isAgentRow(row)
      ? {
          group: rowKey(row.source, row.session_id),
          tag: isAlive(row.state) ? ALIVE : ENDED,
          // A lost agent sorts by the time when it was judged lost.
          order: row.lost_at ?? row.ended_at ?? row.started_at,
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
  const id = findAgentId(rows, group, session, event)
  if (id !== undefined) tell(rows, group, session, id, event)
}

function sessionTag(row: SessionRow): string {
  if (row.hidden) return HIDDEN_SESSION
  return row.over ? CLOSED_SESSION : OPEN_SESSION
}

/**
 * Sessions that a hook started are not shown. Only some of their events reveal it, so the whole session is
 * hidden. What a hook does within a session that somebody works in neither hides that session nor changes it.
 */
function isOfHook(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): boolean {
  if (event.from_hook !== true) {
    // A transcript does not record who started the session; only its hooks report that.
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

/** Ways to leave a session from its prompt. The last one ends what only looked like a session. */
const LEFT_AT_PROMPT: ReadonlySet<string> = new Set([
  'clear',
  'logout',
  'prompt_input_exit',
  'resume',
  'sub-agent',
])

function endAll(rows: Rows<Row>, group: string, session: SessionRow, event: StoredEvent): void {
  session.over = true
  session.over_at = event.ts
  const idle = LEFT_AT_PROMPT.has(String(event.reason))
  for (const [key, row] of rows.alive(group)) {
    if (!isAgentRow(row)) continue
    endSession(row, event.ts, idle)
    settle(row)
    rows.set(key, row)
  }
}

/** Finds the agent an event is about. Emitters that know only the session or the call name that instead. */
function findAgentId(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  event: StoredEvent,
): string | undefined {
  const id = readAgentId(event)
  if (isKind(event, 'agent_link')) {
    if (event.tool_use_id && id !== undefined) remember(rows, group, session, event)
    else if (event.tool_use_id) {
      const made = findAgentOfCall(session, event.tool_use_id)
      if (made === undefined && event.status === 'failed') noteFailed(rows, group, session, event)
      return made
    }
  }
  if (isReminder(event) && (id ?? MAIN) === MAIN) return findAsker(rows, group, event)
  if (id !== undefined) return id === event.session_id ? MAIN : (findAgentOfCall(session, id) ?? id)
  return event.event.startsWith('agent_') && event.event !== 'agent_wait' ? undefined : MAIN
}

function tell(rows: Rows<Row>, group: string, session: SessionRow, id: string, event: StoredEvent): void {
  const key = rowKey(group, id)
  const existing = rows.get(key)
  const isNew = !isAgentRow(existing)
  if (isNew && !MAKES.has(event.event)) return
  const before = isNew ? newAgent(id, event, session.era) : existing
  if (before.book.era !== session.era) resetForEra(before, session.era)
  follow(before, event, session)
  const row = moveBookLast(before, event.event)
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

/**
 * Finds the agent that a reminder is about, since the reminder does not name it: it adds no new wait when an
 * agent of the session already asks, and otherwise it belongs to the agent that is about to use the tool in
 * the reminder.
 */
function findAsker(rows: Rows<Row>, group: string, event: StoredEvent): string | undefined {
  const agents = rows
    .alive(group)
    .map(([, row]) => row)
    .filter(isAgentRow)
  if (agents.some(isAsking)) return undefined
  const tool = toolIn(event.reason)
  const able = agents.filter(({ book }) => book.open.some((call) => call.tool === tool))
  return able.length === 1 ? able[0]?.id : MAIN
}

const MOST_UNMET = 200

/**
 * Merges what was reported under a call's name into the agent, once the call that made the agent is known.
 */
function remember(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  {
    id,
    tool_use_id: call,
  }: { readonly id?: string | null | undefined; readonly tool_use_id?: string | null | undefined },
): void {
  if (!id || !call || id === call || findAgentOfCall(session, call) === id) return
  recordMaker(session, call, id)
  const before = rows.get(rowKey(group, call))
  if (isAgentRow(before)) {
    rows.remove(rowKey(group, call))
    const own = rows.get(rowKey(group, id))
    rows.set(rowKey(group, id), isAgentRow(own) ? mergeRows(own, before) : { ...before, id })
  } else if (!session.unmet.includes(call)) return
  session.unmet = session.unmet.filter((name) => name !== call)
  for (const [key, row] of rows.group(group)) {
    if (!isAgentRow(row) || row.parent_id !== call) continue
    row.parent_id = row.id === id ? MAIN : id
    rows.set(key, row)
  }
}

/** A parent that was never reported itself may turn out to be the name of a call. */
function noteParent(rows: Rows<Row>, group: string, session: SessionRow, row: AgentRow): void {
  const parent = row.parent_id
  if (parent === null || parent === MAIN || session.unmet.includes(parent)) return
  if (rows.get(rowKey(group, parent)) === undefined)
    session.unmet = [...session.unmet, parent].slice(-MOST_UNMET)
}

type Counts = Record<string, number>

/** Merges the rows of one agent that was reported under two names into its own row. */
function mergeRows(own: AgentRow, other: AgentRow): AgentRow {
  const { book: _book, skill: _skill, claims: _claims, follow_ups: _left, ...shown } = own
  return {
    ...shown,
    parent_id: own.parent_id === MAIN ? other.parent_id : own.parent_id,
    subagent_type: own.subagent_type ?? other.subagent_type,
    model: own.model ?? other.model,
    outcome: own.outcome ?? other.outcome,
    tool_counts: sum(own.tool_counts, other.tool_counts),
    errors: own.errors + other.errors,
    tool_errors: sum(own.tool_errors ?? {}, other.tool_errors ?? {}),
    started_at: Math.min(own.started_at, other.started_at),
    last_at: Math.max(own.last_at, other.last_at),
    prompt_preview: own.prompt_preview ?? other.prompt_preview,
    background: own.background || other.background,
    doing: own.doing ?? other.doing,
    usage:
      own.usage === null || other.usage === null ? (own.usage ?? other.usage) : sum(own.usage, other.usage),
    ...mergeMarkers(own, other),
    book: {
      ...own.book,
      // Both rows saw the same beginnings and ends.
      starts: Math.max(own.book.starts, other.book.starts),
      stops: Math.max(own.book.stops, other.book.stops),
      ended_calls: [...new Set([...own.book.ended_calls, ...other.book.ended_calls])],
      failed: [...new Set([...own.book.failed, ...other.book.failed])],
      open: [...other.book.open, ...own.book.open],
      dropped: [...other.book.dropped, ...own.book.dropped],
      early: [...(other.book.early ?? []), ...(own.book.early ?? [])],
      waits: [...other.book.waits, ...own.book.waits],
    },
  }
}

function sum<C extends Counts>(one: C, other: C): C {
  const total: Counts = { ...one }
  for (const [name, count] of Object.entries(other))
    total[name] = (Object.hasOwn(total, name) ? (total[name] ?? 0) : 0) + count
  return total as C
}
