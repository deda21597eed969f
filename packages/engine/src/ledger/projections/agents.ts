import type { Agent, StoredEvent } from '@panoptes/schema'
import { agentOf, isAlive, isKind } from '@panoptes/schema/reading'
import { type Projection, rowKey } from './projection.ts'
import { tally } from './tally.ts'

const MAIN = 'main'
export const ALIVE = 'alive'
export const ENDED = 'ended'

export const agentsProjection: Projection<Agent> = {
  name: 'agents',
  version: 1,
  key: (event) => {
    const id = agentIdOf(event)
    return id === undefined ? undefined : rowKey(event.source, event.session_id, id)
  },
  group: (event) => (event.event === 'session_end' ? rowKey(event.source, event.session_id) : undefined),
  apply: (row, event) => follow(row ?? newAgent(event), event),
  place: (row) => ({
    group: rowKey(row.source, row.session_id),
    tag: isAlive(row.state) ? ALIVE : ENDED,
    order: row.started_at,
    ref: row.id,
  }),
}

/** Emitters that know only the session name it where an agent's id belongs; the session's own agent is meant. */
const localId = (event: StoredEvent, id: string): string => (id === event.session_id ? MAIN : id)

function agentIdOf(event: StoredEvent): string | undefined {
  if (event.event === 'session_end') return undefined
  const id = agentOf(event)
  if (id !== undefined) return localId(event, id)
  return event.event.startsWith('agent_') && event.event !== 'agent_wait' ? undefined : MAIN
}

function newAgent(event: StoredEvent): Agent {
  const id = agentIdOf(event) ?? MAIN
  return {
    id,
    parent_id: id === MAIN ? null : MAIN,
    session_id: event.session_id,
    source: event.source,
    subagent_type: null,
    model: null,
    state: 'working',
    outcome: null,
    tool_counts: {},
    errors: 0,
    started_at: event.ts,
    last_at: event.ts,
    ended_at: null,
    prompt_preview: null,
    wait_reason: null,
    background: false,
  }
}

function follow(row: Agent, event: StoredEvent): Agent {
  if (event.event !== 'session_end') {
    row.started_at = Math.min(row.started_at, event.ts)
    row.last_at = Math.max(row.last_at, event.ts)
  }
  if (isKind(event, 'agent_spawn')) {
    begin(row)
    describe(row, event)
    row.background = event.background ?? row.background
  } else if (isKind(event, 'agent_link')) describe(row, event)
  else if (isKind(event, 'session_start')) {
    begin(row)
    row.model = event.model ?? row.model
  } else if (isKind(event, 'prompt')) {
    begin(row)
    row.prompt_preview = event.prompt_preview ?? row.prompt_preview
  } else if (isKind(event, 'tool_use')) {
    tally(row.tool_counts, event.tool ?? 'unknown')
    work(row)
  } else if (isKind(event, 'tool_done')) {
    if (event.ok === false) row.errors += 1
    work(row)
  } else if (isKind(event, 'usage')) {
    row.model = event.model ?? row.model
    work(row)
  } else if (isKind(event, 'skill_use')) work(row)
  else if (isKind(event, 'agent_wait')) {
    if (!isAlive(row.state)) return row
    row.state = 'waiting'
    row.wait_reason = event.reason ?? null
  } else if (isKind(event, 'agent_stuck')) {
    if (isAlive(row.state)) row.state = 'stuck'
  } else if (isKind(event, 'status')) row.outcome = event.shipped ?? row.outcome
  else if (isKind(event, 'agent_done')) {
    row.outcome = event.outcome ?? row.outcome
    end(row, event)
  } else if (isKind(event, 'agent_lost') || isKind(event, 'session_end')) end(row, event)
  return row
}

interface Description {
  readonly parent_id?: string | null | undefined
  readonly subagent_type?: string | null | undefined
  readonly model?: string | null | undefined
  readonly prompt_preview?: string | null | undefined
}

function describe(row: Agent, told: Description): void {
  if (told.parent_id) row.parent_id = told.parent_id === row.session_id ? MAIN : told.parent_id
  row.subagent_type = told.subagent_type ?? row.subagent_type
  row.model = told.model ?? row.model
  row.prompt_preview = told.prompt_preview ?? row.prompt_preview
}

function begin(row: Agent): void {
  row.state = 'working'
  row.outcome = null
  row.ended_at = null
  row.wait_reason = null
}

function work(row: Agent): void {
  if (!isAlive(row.state)) return
  row.state = 'working'
  row.wait_reason = null
}

function end(row: Agent, event: StoredEvent): void {
  if (!isAlive(row.state)) return
  row.state = row.outcome === 'fail' ? 'failed' : 'done'
  row.ended_at = event.ts
  row.wait_reason = null
}
