import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import {
  begin,
  clearStuck,
  end,
  endCall,
  failLate,
  live,
  markLost,
  noteActivity,
  noteEnd,
  noteOutcome,
  restWithBackgroundWork,
  startResting,
  undoCut,
  undoLost,
} from './agent-state.ts'
import { isBeforeEnd, isBeforeResumed, isWritten } from './late-events.ts'
import {
  addClaim,
  beginInScope,
  closeScope,
  endInScope,
  noteFollowUps,
  subtractClaims,
  useSkill,
} from './markers.ts'
import { type AgentRow, MAIN, type SessionRow } from './row.ts'
import { findAgentOfCall } from './session.ts'
import { dropCall, dropCalls, finishCall, startCall, takeBack } from './tools.ts'
import { endWaits, isIdleEvent, removeAnsweredWaits, startWait } from './waits.ts'

const ACTIVE: ReadonlySet<string> = new Set(['prompt', 'agent_spawn', 'tool_use'])

/** Applies what an event says about its agent. */
export function follow(row: AgentRow, event: StoredEvent, session: SessionRow): void {
  if (!isAside(event)) row.started_at = Math.min(row.started_at, event.ts)
  if (!isJudgement(event)) row.last_at = Math.max(row.last_at, event.ts)
  const open = !session.over
  const late = isBeforeEnd(row, event)
  if (ACTIVE.has(event.event)) noteActivity(row, event.ts)
  if (isKind(event, 'tool_use')) {
    if (late) clearStuck(row)
    else {
      live(row, open, event.ts)
      delete row.book.rested
    }
    row.subagent_type ??= event.subagent_type ?? null
    beginInScope(row, event)
    startCall(row, event)
  } else if (isKind(event, 'tool_done')) {
    clearStuck(row)
    row.subagent_type ??= event.subagent_type ?? null
    endInScope(row, event)
    finishCall(row, event)
  } else if (isKind(event, 'usage')) {
    clearStuck(row)
    // The call that made the agent knows the model's full name.
    row.model = isWritten(event) ? (row.model ?? event.model ?? null) : (event.model ?? row.model)
    spend(row, event)
  } else if (isKind(event, 'tool_refused')) takeBack(row, event)
  else if (isKind(event, 'taken_back')) {
    if (event.of === 'usage') subtractUsage(row, event)
    else if (event.of === 'claim') subtractClaims(row, event)
  } else if (isKind(event, 'skill_use')) {
    clearStuck(row)
    useSkill(row, event)
  } else if (isKind(event, 'claim')) addClaim(row, event)
  else if (isKind(event, 'agent_spawn')) {
    if (!late || row.book.starts === 0) begin(row, open, event.ts)
    describe(row, event, session)
    row.background = event.background ?? row.background
  } else if (isKind(event, 'agent_link')) link(row, event, session)
  else if (isKind(event, 'session_start')) row.model = event.model ?? row.model
  else if (isKind(event, 'prompt') && late) row.prompt_preview ??= event.prompt_preview ?? null
  else if (isKind(event, 'prompt')) {
    live(row, open, event.ts)
    // A call that a person interrupted gets no other end.
    dropCalls(row)
    closeScope(row)
    endWaits(row, event.ts)
    notePrompt(row, event)
    row.prompt_preview = event.prompt_preview ?? row.prompt_preview
  } else if (isKind(event, 'agent_wait')) {
    if (!late && event.ts >= (row.book.prompt?.ts ?? event.ts)) wait(row, event, open)
  } else if (event.event === 'answer') {
    row.book.stuck = false
    const calls = removeAnsweredWaits(row, event)
    if (event.choice === 'deny') for (const id of calls) dropCall(row, id)
  } else if (event.event === 'hook') {
    row.book.stuck = false
    if (event.hook === 'Stop' && !late && !isBeforeResumed(row, event)) restWithBackgroundWork(row, event.ts)
  } else if (isKind(event, 'agent_stuck')) row.book.stuck = row.book.waits.length === 0
  else if (isKind(event, 'status')) {
    if (isBeforeResumed(row, event)) return
    setOutcome(row, event, event.shipped, late)
    noteFollowUps(row, event.follow_ups)
  } else if (isKind(event, 'agent_done')) {
    if (isBeforeResumed(row, event)) return
    if (isEndOfCut(row, event, session)) return
    noteEnd(row, event.ts)
    undoCut(row)
    undoLost(row)
    setOutcome(row, event, event.outcome, late)
    if (!late) end(row, event.ts, Boolean(event.error))
    else if (event.error && !(row.book.session_over && open)) failLate(row, event.ts)
  } else if (isKind(event, 'agent_lost')) markLost(row, event.ts)
}

/**
 * A database or transcript dates an end exactly. An agent that ended without an outcome after its session was
 * over did not finish: the end of the session stopped it.
 */
const isEndOfCut = (row: AgentRow, event: StoredEvent, session: SessionRow): boolean =>
  row.book.cut === true &&
  isWritten(event) &&
  isKind(event, 'agent_done') &&
  !event.outcome &&
  !event.error &&
  event.ts > (session.over_at ?? Number.POSITIVE_INFINITY)

/** An outcome that is read late only fills in a missing one. */
function setOutcome(
  row: AgentRow,
  { ts }: StoredEvent,
  outcome: AgentRow['outcome'] | undefined,
  late: boolean,
): void {
  if (late && row.outcome !== null && row.outcome !== 'lost') return
  noteOutcome(row, outcome ?? null, ts)
}

function notePrompt({ book }: AgentRow, { ts, prompt_id: id }: StoredEvent): void {
  delete book.rested
  if (ts >= (book.prompt?.ts ?? ts)) book.prompt = { id: typeof id === 'string' ? id : null, ts }
}

/** The daemon's own judgement about an agent is no sign of life. */
const isJudgement = ({ event }: StoredEvent): boolean => event === 'agent_stuck' || event === 'agent_lost'
/** An event that makes no agent does not tell when the agent began. */
const isAside = ({ event }: StoredEvent): boolean =>
  event === 'hook' || event === 'notice' || event === 'bypass'

function wait(row: AgentRow, event: StoredEvent, open: boolean): void {
  if (isIdleEvent(event)) startResting(row, open, event.ts)
  else live(row, open, event.ts)
  startWait(row, event)
}

interface Description {
  readonly parent_id?: string | null | undefined
  readonly subagent_type?: string | null | undefined
  readonly model?: string | null | undefined
  readonly prompt_preview?: string | null | undefined
}

function describe(row: AgentRow, description: Description, session: SessionRow): void {
  if (description.parent_id) {
    const parent = description.parent_id === row.session_id ? MAIN : description.parent_id
    const parentAgent = findAgentOfCall(session, parent) ?? parent
    if (parentAgent !== row.id) row.parent_id = parentAgent
  }
  row.subagent_type = description.subagent_type ?? row.subagent_type
  row.model = description.model ?? row.model
  row.prompt_preview = description.prompt_preview ?? row.prompt_preview
}

interface Link extends Description {
  readonly ts: number
  readonly tool_use_id?: string | null | undefined
  readonly status?: string | null | undefined
  readonly outcome?: AgentRow['outcome'] | undefined
  readonly background?: boolean | null | undefined
}

function link(row: AgentRow, event: Link, session: SessionRow): void {
  describe(row, event, session)
  row.tool_use_id = event.tool_use_id ?? row.tool_use_id
  row.background = event.background ?? row.background
  const ends = event.status === 'completed' || event.status === 'failed'
  // An end that is reported replaces the guess that the session cut the agent off, and may say the same.
  if (ends) {
    noteEnd(row, event.ts)
    undoCut(row)
    undoLost(row)
  }
  noteOutcome(row, event.outcome ?? null, event.ts)
  if (!ends) return
  endCall(row, event.tool_use_id ?? '', event.ts, event.status === 'failed' && event.outcome !== 'stopped')
}

interface UsageEvent {
  readonly input?: number | null | undefined
  readonly output?: number | null | undefined
  readonly cache_read?: number | null | undefined
  readonly cache_write?: number | null | undefined
  readonly cost_usd?: number | null | undefined
}

function spend(row: AgentRow, event: UsageEvent): void {
  row.usage ??= { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_micro_usd: 0, cost_unknown: 0 }
  row.usage.input += event.input ?? 0
  row.usage.output += event.output ?? 0
  row.usage.cache_read += event.cache_read ?? 0
  row.usage.cache_write += event.cache_write ?? 0
  if (event.cost_usd === undefined || event.cost_usd === null) row.usage.cost_unknown += 1
  else row.usage.cost_micro_usd += Math.round(event.cost_usd * 1_000_000)
}

/** Subtracts usage that is counted for another agent. */
function subtractUsage({ usage }: AgentRow, event: UsageEvent): void {
  if (!usage) return
  usage.input = subtractAtLeastZero(usage.input, event.input)
  usage.output = subtractAtLeastZero(usage.output, event.output)
  usage.cache_read = subtractAtLeastZero(usage.cache_read, event.cache_read)
  usage.cache_write = subtractAtLeastZero(usage.cache_write, event.cache_write)
  if (event.cost_usd === undefined || event.cost_usd === null)
    usage.cost_unknown = subtractAtLeastZero(usage.cost_unknown, 1)
  else
    usage.cost_micro_usd = subtractAtLeastZero(usage.cost_micro_usd, Math.round(event.cost_usd * 1_000_000))
}

const subtractAtLeastZero = (so: number, by: number | null | undefined): number => Math.max(0, so - (by ?? 0))
