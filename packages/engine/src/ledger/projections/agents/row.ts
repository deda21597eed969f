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
  /** The generations whose call failed, or that failed by their own word. */
  failed: number[]
  /** The failed call that it was taken to come from, until somebody says which call it was. */
  guess: string | null
  /** Its session ended. */
  session_over: boolean
  /** How often its session had been opened again when it was last heard of. */
  era: number
  /** A session's own agent that was not asked for anything since the session was opened. */
  unasked: boolean
  /** Tool calls under way, the newest last. */
  open: OpenCall[]
  /** Calls that are no longer taken to be under way; their end may still be told. */
  dropped: string[]
  /** Calls whose end was told before their beginning: they are counted. */
  early?: string[]
  /** What it waits for, the newest last. */
  waits: Wait[]
  stuck: boolean
  /** When it was last resumed. */
  renewed?: number
  /** The scope of its last skill while it is open, and whether its last call went well. */
  scope?: { ok: boolean | null }
}

export interface OpenCall {
  readonly id: string
  readonly tool: string
  readonly ts: number
  /** The beginning of its preview: a request for permission names its call by nothing else. */
  readonly about: string | null
}

export interface Wait {
  /** What kind of wait, in the word of who told it. */
  readonly on: string | null
  call: string | null
  readonly tool: string | null
  readonly about: string | null
  readonly reason: string | null
  readonly ts: number
  /** When it was first told, where that was earlier. */
  readonly since?: number
}

export interface AgentRow extends Agent {
  book: Book
}

/** A call that failed without saying which agent it made. */
export interface FailedCall {
  readonly call: string
  readonly type: string | null
  readonly ts: number
}

/** What has to be remembered of a session as a whole. */
export interface SessionRow {
  readonly session_of: string
  over: boolean
  /** When it last ended. */
  over_at?: number
  /** How often it was opened again after its end. */
  era: number
  /** Another session's hook started it: it has no agents that are shown. */
  hidden: boolean
  /** Something was done in it by whoever started it by themselves. */
  own: boolean
  last_at: number
  /** Which agent a tool call made: emitters that know only the call name it in the agent's place. */
  made: Record<string, string>
  failed: FailedCall[]
  /** Parents that were named before anything else was heard of them. */
  unmet: string[]
}

export type Row = AgentRow | SessionRow

export const isAgentRow = (row: Row | undefined): row is AgentRow => row !== undefined && 'book' in row

export const newSession = (group: string, ts: number): SessionRow => ({
  session_of: group,
  over: false,
  era: 0,
  hidden: false,
  own: false,
  last_at: ts,
  made: {},
  failed: [],
  unmet: [],
})

export const newAgent = (id: string, event: StoredEvent, era: number): AgentRow => ({
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
  wait_since: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  book: newBook(id, era),
})

export const newBook = (id: string, era: number): Book => ({
  starts: 0,
  stops: 0,
  ended_calls: [],
  failed: [],
  guess: null,
  session_over: false,
  era,
  unasked: id === MAIN,
  open: [],
  dropped: [],
  waits: [],
  stuck: false,
})
