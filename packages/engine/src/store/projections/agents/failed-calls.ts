import type { StoredEvent } from '@panoptes/schema'
import { type Rows, rowKey } from '../projection.ts'
import { endCall, noteOutcome, settle } from './agent-state.ts'
import { type AgentRow, type FailedCall, isAgentRow, MAIN, type Row, type SessionRow } from './row.ts'
import { findAgentOfCall, recordMaker } from './session.ts'

/** This many failed calls are remembered until it is known which agent they made, if any. */
const MOST_FAILED = 64
/** The two report independently, so one may arrive slightly after the other. */
const LEEWAY_MS = 10_000

const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task'])

/** Records a call that failed without saying which agent it made. */
export function noteFailed(
  rows: Rows<Row>,
  group: string,
  session: SessionRow,
  event: StoredEvent & {
    readonly tool_use_id?: string | null | undefined
    readonly subagent_type?: string | null | undefined
    readonly outcome?: AgentRow['outcome'] | undefined
  },
): void {
  const { tool_use_id: call, subagent_type: type, outcome, ts } = event
  if (!call || session.failed.some((failed) => failed.call === call)) return
  const failed = { call, type: type ?? null, ts, ...(outcome === 'stopped' ? { stopped: true } : {}) }
  session.failed = [...session.failed, failed].slice(-MOST_FAILED)
  guessFailed(rows, group, session)
}

/**
 * Applies a link between a call and its agent. The call may be one that failed, and it may differ from the
 * one that was guessed.
 */
export function linkFailed(session: SessionRow, row: AgentRow, call: string): void {
  const { book } = row
  if (book.guess !== null && book.guess !== call) {
    const wrong = book.guess
    const ts = row.ended_at ?? row.last_at
    const stopped = row.outcome === 'stopped' ? { stopped: true } : {}
    session.failed = [...session.failed, { call: wrong, type: row.subagent_type, ts, ...stopped }].slice(
      -MOST_FAILED,
    )
    book.ended_calls = book.ended_calls.filter((ended) => ended !== wrong)
    book.failed = []
    if (row.outcome === 'stopped') row.outcome = null
    delete session.made[wrong]
  }
  book.guess = null
  const failed = session.failed.find((each) => each.call === call)
  if (failed !== undefined) fail(session, row, failed)
}

/**
 * Without a link, an agent is attributed to a failed call if it can come from no other: no call that could
 * have made it is under way, and there are no more agents of its kind than failed calls. With `only`, other
 * agents are left unchanged.
 */
export function guessFailed(rows: Rows<Row>, group: string, session: SessionRow, only?: AgentRow): void {
  const agents = rows
    .group(group)
    .map(([, row]) => row)
    .filter(isAgentRow)
  if (agents.some(({ book }) => book.open.some(({ id, tool }) => isOpen(session, id, tool)))) return
  for (const failed of session.failed) {
    const able = agents.filter((row) => canComeFrom(row, failed))
    const alike = session.failed.filter(({ type }) => type === failed.type)
    const [row] = able
    if (row === undefined || able.length > alike.length || (only !== undefined && row.id !== only.id))
      continue
    fail(session, row, failed)
    row.book.guess = failed.call
    recordMaker(session, failed.call, row.id)
    settle(row)
    rows.set(rowKey(group, row.id), row)
  }
}

const isOpen = (session: SessionRow, id: string, tool: string): boolean =>
  AGENT_TOOLS.has(tool) &&
  findAgentOfCall(session, id) === undefined &&
  !session.failed.some(({ call }) => call === id)

const canComeFrom = (row: AgentRow, { type, ts }: FailedCall): boolean =>
  row.id !== MAIN &&
  row.tool_use_id === null &&
  (type === null || row.subagent_type === null || row.subagent_type === type) &&
  row.started_at <= ts + LEEWAY_MS &&
  (row.ended_at ?? ts) >= ts - LEEWAY_MS

function fail(session: SessionRow, row: AgentRow, { call, ts, stopped = false }: FailedCall): void {
  session.failed = session.failed.filter((each) => each.call !== call)
  row.tool_use_id = call
  if (stopped) noteOutcome(row, 'stopped', ts)
  endCall(row, call, ts, !stopped)
}
