import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { isBeforeEnd, isBeforeResumed, isWritten } from './late.ts'
import { begin, end, endCall, failLate, live, rest, seen } from './life.ts'
import { type AgentRow, MAIN, type SessionRow } from './row.ts'
import { madeByCall } from './session.ts'
import { spend, unspend } from './spend.ts'
import {
  beginInScope,
  closeScope,
  endInScope,
  noteFollowUps,
  stateClaim,
  unstateClaims,
  useSkill,
} from './stated.ts'
import { dropCall, dropCalls, finishCall, startCall, takeBack } from './tools.ts'
import { answered, endWaits, saysIdle, startWait } from './waits.ts'

/** What an event says of the agent it is about. */
export function follow(row: AgentRow, event: StoredEvent, session: SessionRow): void {
  if (!isAside(event)) row.started_at = Math.min(row.started_at, event.ts)
  if (!isJudgement(event)) row.last_at = Math.max(row.last_at, event.ts)
  const open = !session.over
  const late = isBeforeEnd(row, event)
  if (isKind(event, 'tool_use')) {
    if (late) seen(row)
    else live(row, open, event.ts)
    row.subagent_type ??= event.subagent_type ?? null
    beginInScope(row, event)
    startCall(row, event)
  } else if (isKind(event, 'tool_done')) {
    seen(row)
    row.subagent_type ??= event.subagent_type ?? null
    endInScope(row, event)
    finishCall(row, event)
  } else if (isKind(event, 'usage')) {
    seen(row)
    // What made the agent knows the model's whole name.
    row.model = isWritten(event) ? (row.model ?? event.model ?? null) : (event.model ?? row.model)
    spend(row, event)
  } else if (isKind(event, 'tool_refused')) takeBack(row, event)
  else if (isKind(event, 'taken_back')) {
    if (event.of === 'usage') unspend(row, event)
    else if (event.of === 'claim') unstateClaims(row, event)
  } else if (isKind(event, 'skill_use')) {
    seen(row)
    useSkill(row, event)
  } else if (isKind(event, 'claim')) stateClaim(row, event)
  else if (isKind(event, 'agent_spawn')) {
    if (!late || row.book.starts === 0) begin(row, open, event.ts)
    describe(row, event, session)
    row.background = event.background ?? row.background
  } else if (isKind(event, 'agent_link')) link(row, event, session)
  else if (isKind(event, 'session_start')) row.model = event.model ?? row.model
  else if (isKind(event, 'prompt') && late) row.prompt_preview ??= event.prompt_preview ?? null
  else if (isKind(event, 'prompt')) {
    live(row, open, event.ts)
    // What a person broke off has no other end.
    dropCalls(row)
    closeScope(row)
    endWaits(row, event.ts)
    row.prompt_preview = event.prompt_preview ?? row.prompt_preview
  } else if (isKind(event, 'agent_wait')) {
    if (!late) wait(row, event, open)
  } else if (event.event === 'answer') {
    row.book.stuck = false
    const calls = answered(row, event)
    if (event.choice === 'deny') for (const id of calls) dropCall(row, id)
  } else if (event.event === 'hook') row.book.stuck = false
  else if (isKind(event, 'agent_stuck')) row.book.stuck = row.book.waits.length === 0
  else if (isKind(event, 'status')) {
    if (isBeforeResumed(row, event)) return
    row.outcome = late ? (row.outcome ?? event.shipped ?? null) : (event.shipped ?? row.outcome)
    noteFollowUps(row, event.follow_ups)
  } else if (isKind(event, 'agent_done')) {
    if (isBeforeResumed(row, event)) return
    row.outcome = late ? (row.outcome ?? event.outcome ?? null) : (event.outcome ?? row.outcome)
    if (!late) end(row, event.ts, Boolean(event.error))
    else if (event.error && !(row.book.session_over && open)) failLate(row, event.ts)
  } else if (isKind(event, 'agent_lost')) end(row, event.ts)
}

/** What the daemon says of an agent is no sign of life. */
const isJudgement = ({ event }: StoredEvent): boolean => event === 'agent_stuck' || event === 'agent_lost'
/** What makes no agent does not say since when there is one. */
const isAside = ({ event }: StoredEvent): boolean =>
  event === 'hook' || event === 'notice' || event === 'bypass'

function wait(row: AgentRow, event: StoredEvent, open: boolean): void {
  if (saysIdle(event)) rest(row, open)
  else live(row, open, event.ts)
  startWait(row, event)
}

interface Description {
  readonly parent_id?: string | null | undefined
  readonly subagent_type?: string | null | undefined
  readonly model?: string | null | undefined
  readonly prompt_preview?: string | null | undefined
}

function describe(row: AgentRow, told: Description, session: SessionRow): void {
  if (told.parent_id) {
    const parent = told.parent_id === row.session_id ? MAIN : told.parent_id
    const known = madeByCall(session, parent) ?? parent
    if (known !== row.id) row.parent_id = known
  }
  row.subagent_type = told.subagent_type ?? row.subagent_type
  row.model = told.model ?? row.model
  row.prompt_preview = told.prompt_preview ?? row.prompt_preview
}

interface Link extends Description {
  readonly ts: number
  readonly tool_use_id?: string | null | undefined
  readonly status?: string | null | undefined
  readonly outcome?: AgentRow['outcome'] | undefined
  readonly background?: boolean | null | undefined
}

function link(row: AgentRow, told: Link, session: SessionRow): void {
  describe(row, told, session)
  row.tool_use_id = told.tool_use_id ?? row.tool_use_id
  row.background = told.background ?? row.background
  row.outcome = told.outcome ?? row.outcome
  if (told.status !== 'completed' && told.status !== 'failed') return
  endCall(row, told.tool_use_id ?? '', told.ts, told.status === 'failed')
}
