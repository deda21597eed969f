import { countDay } from '@panoptes/engine/demo'
import type { Agent, Counters, SessionSummary, StoredEvent } from '@panoptes/schema'

export interface Folded {
  readonly counters: Counters
  readonly agents: readonly Agent[]
  readonly sessions: readonly SessionSummary[]
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The projections as one reads them in the vocabulary: slow, plain, and sharing no code with the ledger. */
export function fold(events: readonly StoredEvent[]): Folded {
  const day = countDay()
  const agents = new Map<string, Agent>()
  const sessions = new Map<string, SessionSummary>()
  for (const event of events) {
    day.add(event)
    const place = JSON.stringify([event.source, event.session_id])
    sessions.set(place, session(sessions.get(place), event))
    if (event.event === 'session_end') {
      for (const [name, row] of agents)
        if (name.startsWith(`${place} `)) agents.set(name, ended(row, event, row.outcome))
      continue
    }
    const id = agentId(event)
    if (id === undefined) continue
    const name = `${place} ${id}`
    agents.set(name, agent(agents.get(name) ?? unknownAgent(id, event), event))
  }
  return { counters: day.counters(), agents: [...agents.values()], sessions: [...sessions.values()] }
}

/** What names no agent is about the session's own, `main`; so is what names the session in an agent's place. */
function agentId(event: StoredEvent): string | undefined {
  const own = ['agent_spawn', 'agent_done', 'agent_link'].includes(event.event)
  const id = text(own ? event.id : event.agent_id)
  if (id !== null) return id === event.session_id ? 'main' : id
  return own || event.event === 'agent_stuck' || event.event === 'agent_lost' ? undefined : 'main'
}

const unknownAgent = (id: string, event: StoredEvent): Agent => ({
  id,
  parent_id: id === 'main' ? null : 'main',
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
})

function agent(before: Agent, event: StoredEvent): Agent {
  const row: Agent = {
    ...before,
    started_at: Math.min(before.started_at, event.ts),
    last_at: Math.max(before.last_at, event.ts),
  }
  const alive = row.state !== 'done' && row.state !== 'failed'
  const working: Agent = alive ? { ...row, state: 'working', wait_reason: null } : row
  const again: Agent = { ...row, state: 'working', outcome: null, ended_at: null, wait_reason: null }
  switch (event.event) {
    case 'session_start':
      return { ...again, model: text(event.model) ?? row.model }
    case 'prompt':
      return { ...again, prompt_preview: text(event.prompt_preview) ?? row.prompt_preview }
    case 'agent_spawn':
      return {
        ...told(again, event),
        background: typeof event.background === 'boolean' ? event.background : row.background,
      }
    case 'agent_link':
      return told(row, event)
    case 'agent_wait':
      return alive ? { ...row, state: 'waiting', wait_reason: text(event.reason) } : row
    case 'agent_stuck':
      return alive ? { ...row, state: 'stuck' } : row
    case 'tool_use': {
      const tool = text(event.tool) ?? 'unknown'
      return { ...working, tool_counts: { ...row.tool_counts, [tool]: (row.tool_counts[tool] ?? 0) + 1 } }
    }
    case 'tool_done':
      return { ...working, errors: row.errors + (event.ok === false ? 1 : 0) }
    case 'skill_use':
      return working
    case 'usage':
      return { ...working, model: text(event.model) ?? row.model }
    case 'status':
      return { ...row, outcome: (text(event.shipped) as Agent['outcome']) ?? row.outcome }
    case 'agent_done':
      return ended(row, event, (text(event.outcome) as Agent['outcome']) ?? row.outcome)
    case 'agent_lost':
      return ended(row, event, row.outcome)
    default:
      return row
  }
}

function told(row: Agent, event: StoredEvent): Agent {
  const parent = text(event.parent_id)
  return {
    ...row,
    parent_id: parent === event.session_id ? 'main' : parent || row.parent_id,
    subagent_type: text(event.subagent_type) ?? row.subagent_type,
    model: text(event.model) ?? row.model,
    prompt_preview: text(event.prompt_preview) ?? row.prompt_preview,
  }
}

function ended(row: Agent, event: StoredEvent, outcome: Agent['outcome']): Agent {
  if (row.state === 'done' || row.state === 'failed') return { ...row, outcome }
  const state = outcome === 'fail' ? 'failed' : 'done'
  return { ...row, outcome, state, ended_at: event.ts, wait_reason: null }
}

function session(before: SessionSummary | undefined, event: StoredEvent): SessionSummary {
  const { source, session_id, ts } = event
  const row = before ?? {
    source,
    session_id,
    project: null,
    cwd: null,
    title: null,
    started_at: ts,
    last_at: ts,
    ended_at: null,
    events: 0,
  }
  const next = {
    ...row,
    events: row.events + 1,
    started_at: Math.min(row.started_at, ts),
    last_at: Math.max(row.last_at, ts),
  }
  if (event.event === 'session_end') return { ...next, ended_at: ts }
  if (event.event !== 'session_start') return next
  return {
    ...next,
    ended_at: null,
    project: text(event.project) ?? row.project,
    cwd: text(event.cwd) ?? row.cwd,
    title: text(event.title) ?? row.title,
  }
}
