import type { Agent, StoredEvent } from '@panoptes/schema'

export const MAIN = 'main'

/** Holds what the projection remembers about an agent beyond what is shown. */
export interface Book {
  /** Counts how often the agent reported a beginning: once, and again for each resume. */
  starts: number
  /** The last generation whose end the agent reported itself. */
  stops: number
  /** The calls that made the agent and whose end the caller saw. */
  ended_calls: string[]
  /** The generations that failed, by their call or by their own report. */
  failed: number[]
  /** The failed call that the agent is attributed to until the actual call is reported. */
  guess: string | null
  /** This is true when its session ended. */
  session_over: boolean
  /** Counts how often its session had been reopened when the agent was last active. */
  era: number
  /** This is true for a session's own agent that received no prompt since the session was opened. */
  unasked: boolean
  /** Tool calls under way, newest last. */
  open: OpenCall[]
  /** Calls that no longer count as under way, although their end may still arrive. */
  dropped: string[]
  /** Calls whose end arrived before their beginning and is already counted. */
  early?: string[]
  /** Lists what the agent waits for, newest last. */
  waits: Wait[]
  stuck: boolean
  /** The agent was last resumed at this time. */
  renewed?: number
  /**
   * The latest outcome was reported at this time. Reports about earlier parts of the agent's life do not
   * replace it.
   */
  outcome_at?: number
  /** This is true when its session ended while it was working. Its own end may still arrive. */
  cut?: boolean
  /** The latest times when it began or called something, and when an end of its work was reported. */
  active_at?: number
  done_at?: number
  /** This is true when it finished a turn and will continue when its background work reports. */
  rested?: boolean
  /** The last prompt. */
  prompt?: { readonly id: string | null; readonly ts: number }
  /**
   * The scope of its latest skill while it is open: the last call in it and, once that call ended, its
   * result.
   */
  scope?: { call: string | null; ok?: boolean | null }
}

export interface OpenCall {
  readonly id: string
  readonly tool: string
  readonly ts: number
  /** The beginning of the call's preview, which is the only way a permission request identifies its call. */
  readonly about: string | null
}

export interface Wait {
  /** The kind of wait, in the words of the emitter. */
  readonly on: string | null
  call: string | null
  readonly tool: string | null
  readonly about: string | null
  readonly reason: string | null
  readonly ts: number
  /** The wait was first reported at this time, if that was earlier. */
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
  /** This is true when a person ended the call. */
  readonly stopped?: boolean
}

/** Holds what the projection remembers about a session as a whole. */
export interface SessionRow {
  readonly session_of: string
  over: boolean
  /** The session last ended at this time. */
  over_at?: number
  /** Counts how often the session was reopened after its end. */
  era: number
  /** This is true when another session's hook started it, so that none of its agents are shown. */
  hidden: boolean
  /** This is true when a person used it on their own. */
  own: boolean
  last_at: number
  /**
   * Maps tool calls to the agents they made. Emitters that know only the call use it in place of the agent.
   */
  made: Record<string, string>
  failed: FailedCall[]
  /** Parents that were named before they were reported themselves. */
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
  // A field that most agents never have is not stored, but keeps its place before the book, because replay
  // cuts a row off there.
  skill: undefined,
  claims: undefined,
  follow_ups: undefined,
  lost_at: undefined,
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

/** Returns the row as others see it, or undefined for rows that the projection keeps for itself. */
export function toAgent(row: Row): Agent | undefined {
  if (!isAgentRow(row)) return undefined
  const { book: _book, ...agent } = row
  // A failed agent counts as a failure whatever its marker said before, as on the Ledger page.
  return agent.state === 'failed' ? { ...agent, outcome: 'fail' } : agent
}

/**
 * Returns the JSON text of the agent in a row's text. The private fields stand at its end, and no text inside
 * JSON can look like their name, so they can be cut off. A failed agent is shown with an outcome that its row
 * may lack, so its row has to be parsed.
 */
export function toAgentText(doc: string): string {
  const own = doc.lastIndexOf(',"book":{')
  return own < 0 || doc.includes('"state":"failed"')
    ? JSON.stringify(toAgent(JSON.parse(doc) as Row))
    : `${doc.slice(0, own)}}`
}
