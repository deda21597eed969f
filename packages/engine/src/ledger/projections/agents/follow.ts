import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { begin, end, endCall, live } from './life.ts'
import { type AgentRow, MAIN } from './row.ts'
import { spend } from './spend.ts'
import { finishCall, startCall } from './tools.ts'

/** What an event says of the agent it is about. */
export function follow(row: AgentRow, event: StoredEvent): void {
  row.started_at = Math.min(row.started_at, event.ts)
  if (!isJudgement(event)) row.last_at = Math.max(row.last_at, event.ts)
  if (isKind(event, 'agent_spawn')) {
    begin(row)
    describe(row, event)
    row.background = event.background ?? row.background
  } else if (isKind(event, 'agent_link')) link(row, event)
  else if (isKind(event, 'session_start')) {
    live(row)
    row.book.session_over = false
    row.model = event.model ?? row.model
  } else if (isKind(event, 'prompt')) {
    live(row)
    row.book.session_over = false
    row.prompt_preview = event.prompt_preview ?? row.prompt_preview
  } else if (isKind(event, 'tool_use')) {
    live(row)
    row.subagent_type ??= event.subagent_type ?? null
    startCall(row, event)
  } else if (isKind(event, 'tool_done')) {
    row.book.mood = 'working'
    row.subagent_type ??= event.subagent_type ?? null
    finishCall(row, event)
  } else if (isKind(event, 'usage')) {
    row.book.mood = 'working'
    row.model = event.model ?? row.model
    spend(row, event)
  } else if (isKind(event, 'skill_use')) row.book.mood = 'working'
  else if (isKind(event, 'agent_wait')) {
    live(row, 'waiting')
    row.wait_reason = event.reason ?? null
  } else if (event.event === 'answer') live(row)
  else if (isKind(event, 'agent_stuck')) row.book.mood = 'stuck'
  else if (isKind(event, 'status')) row.outcome = event.shipped ?? row.outcome
  else if (isKind(event, 'agent_done')) {
    row.outcome = event.outcome ?? row.outcome
    if (event.error) row.book.failed = true
    end(row, event.ts)
  } else if (isKind(event, 'agent_lost')) end(row, event.ts)
}

/** What the daemon says of an agent is no sign of life. */
const isJudgement = ({ event }: StoredEvent): boolean => event === 'agent_stuck' || event === 'agent_lost'

interface Description {
  readonly parent_id?: string | null | undefined
  readonly subagent_type?: string | null | undefined
  readonly model?: string | null | undefined
  readonly prompt_preview?: string | null | undefined
}

function describe(row: AgentRow, told: Description): void {
  if (told.parent_id) row.parent_id = told.parent_id === row.session_id ? MAIN : told.parent_id
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

function link(row: AgentRow, told: Link): void {
  describe(row, told)
  row.tool_use_id = told.tool_use_id ?? row.tool_use_id
  row.background = told.background ?? row.background
  row.outcome = told.outcome ?? row.outcome
  if (told.status !== 'completed' && told.status !== 'failed') return
  if (told.status === 'failed') row.book.failed = true
  endCall(row, told.tool_use_id ?? '', told.ts)
}
