import type { Agent, StoredEvent } from '@panoptes/schema'

export const MAIN = 'main'

/** What has to be remembered of an agent beyond what is shown. */
export interface Book {
  /** How often the agent began by its own word: once, and again each time it is resumed. */
  starts: number
  /** The last beginning that it ended by its own word. */
  stops: number
  /** The calls that made it, as far as the caller saw them end. */
  ended_calls: string[]
  /** The call that made it failed, or its own turn did. */
  failed: boolean
  /** Its session ended. */
  session_over: boolean
  /** Tool calls under way, the newest last. */
  open: OpenCall[]
  /** What it does while it is alive. */
  mood: 'working' | 'waiting' | 'stuck'
}

export interface OpenCall {
  readonly id: string
  readonly tool: string
  readonly ts: number
}

export interface AgentRow extends Agent {
  book: Book
}

/** What has to be remembered of a session as a whole. */
export interface SessionRow {
  readonly session_of: string
  over: boolean
  /** Another session's hook started it: it has no agents that are shown. */
  hidden: boolean
  /** Something was done in it by whoever started it by themselves. */
  own: boolean
  last_at: number
  /** Which agent a tool call made: emitters that know only the call name it in the agent's place. */
  made: Record<string, string>
}

export type Row = AgentRow | SessionRow

export const isAgentRow = (row: Row | undefined): row is AgentRow => row !== undefined && 'book' in row

export const newSession = (group: string, ts: number): SessionRow => ({
  session_of: group,
  over: false,
  hidden: false,
  own: false,
  last_at: ts,
  made: {},
})

export const newAgent = (id: string, event: StoredEvent): AgentRow => ({
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
  tool_errors: {},
  started_at: event.ts,
  last_at: event.ts,
  ended_at: null,
  prompt_preview: null,
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  book: {
    starts: 0,
    stops: 0,
    ended_calls: [],
    failed: false,
    session_over: false,
    open: [],
    mood: 'working',
  },
})
