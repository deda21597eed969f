import type {
  Message,
  PastAgent,
  PastSession,
  Result,
  Session,
  SessionAgent,
  SessionRef,
  StatsGroup,
  StatsRow,
  TokenUsage,
} from '@panoptes/schema'

import type { ForgottenCounts } from './forget.ts'

/** What the index keeps of a message. Its text is looked up by, and not kept. */
export interface IndexedMessage {
  readonly id: string
  readonly agent_id: string
  readonly role: Message['role']
  readonly ts: number | null
  readonly model: string | null
  /** What it is found by: what was said, and what tools were given and gave. In bytes what `indexText` made of it. */
  readonly text: string | Uint8Array
  readonly tools: readonly string[]
  /** Results in it that say that something failed. */
  readonly errors: number
  /** The tools of these, as far as they are known. */
  readonly failed: readonly string[]
  readonly usage: TokenUsage | null
  readonly cost_micro_usd: number | null
}

/**
 * Changes to the index, in order. A session is begun, told in parts and ended: then it takes the place of what was known of it. Until
 * there, or when it is left, that stays.
 */
export type IndexChange =
  | { readonly type: 'begin'; readonly source: string; readonly id: string; readonly place: string }
  | { readonly type: 'agent'; readonly source: string; readonly id: string; readonly agent: SessionAgent }
  | {
      readonly type: 'messages'
      readonly source: string
      readonly id: string
      readonly messages: readonly IndexedMessage[]
    }
  | { readonly type: 'end'; readonly session: Session }
  /** What was begun of it goes. */
  | { readonly type: 'leave'; readonly source: string; readonly id: string }
  | { readonly type: 'drop'; readonly source: string; readonly id: string }

export interface SessionFilter {
  /** The id of one, or the beginning of it. */
  readonly id?: string | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** The computer it is from. */
  readonly host?: string | undefined
  readonly model?: string | undefined
  readonly tool?: string | undefined
  /** Only these. */
  readonly of?: readonly SessionRef[] | undefined
  /** Inclusive and exclusive, milliseconds, of when it was last active. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly errors?: boolean | undefined
  readonly min_cost_micro_usd?: number | undefined
}

export interface SessionListQuery extends SessionFilter {
  readonly limit: number
  readonly offset?: number | undefined
}

/** What a session did, in numbers. */
export interface SessionWork extends SessionRef {
  readonly title: string | null
  readonly project: string | null
  readonly started_at: number | null
  readonly last_at: number | null
  readonly ended_at: number | null
  /** Replies of every agent in it. */
  readonly turns: number
  readonly tool_calls: number
  readonly errors: number
  /** Null where some are unknown. */
  readonly tokens: number | null
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly errors: number }[]
}

export interface SearchQuery extends SessionFilter {
  readonly text: string
  readonly limit: number
  readonly offset?: number | undefined
}

export interface Hit {
  readonly source: string
  readonly session_id: string
  /** The message's place in its session, from 0 on. */
  readonly n: number
  readonly id: string
  readonly agent_id: string
  readonly role: Message['role']
  readonly ts: number | null
  readonly title: string | null
  readonly project: string | null
  readonly place: string
}

/** A text, to find messages that have to do with it. */
export interface RecallQuery {
  readonly text: string
  readonly most: number
  /** Messages of this session are not wanted: those from a time on, or all of them. */
  readonly except?:
    | { readonly source: string; readonly session_id: string; readonly since: number | null }
    | undefined
  /** By `performance.now`: what is found by then is told. */
  readonly until: number
}

/** A word, and how much it says that a message has it. */
export interface WeighedWord {
  readonly word: string
  readonly weight: number
}

export interface Recalled {
  /** What people and agents said, the best first. */
  readonly hits: readonly Hit[]
  /** Words of the text that are anywhere. */
  readonly words: readonly WeighedWord[]
}

/** Begun and not ended yet, or gone because it is too old. */
export interface HiddenSession extends SessionRef {
  readonly why: 'begun' | 'aged'
}

/**
 * Changes that come by and by. They are kept for good from time to time, and all at the end; a failure takes those with it that
 * were not kept yet, and every further call says so.
 */
export interface IndexBatch {
  add(changes: readonly IndexChange[]): Promise<Result<null>>
  end(): Promise<Result<null>>
}

export interface IndexOptions {
  readonly readOnly?: boolean | undefined
  /** Words are kept in parts of about so many messages. */
  readonly messagesAPart?: number | undefined
}

/** What past sessions are found by. Everything in it can be read again from the sources; no method throws. */
export interface SessionIndex {
  /** The fingerprint of each complete session of a source. */
  known(source: string): Promise<Result<ReadonlyMap<string, string>>>
  /** All of them or none. */
  write(changes: readonly IndexChange[]): Promise<Result<null>>
  /** For very many changes. */
  batch(): IndexBatch
  /** The newest first. */
  list(query: SessionListQuery): Promise<Result<readonly PastSession[]>>
  /** The one of this source with exactly this id. */
  get(source: string, id: string): Promise<Result<PastSession | null>>
  /** What each of them did, the newest first. */
  works(query: SessionListQuery): Promise<Result<readonly SessionWork[]>>
  /** What they amount to, the most costly first; days in order, tools by their calls. */
  stats(filter: SessionFilter, by: StatsGroup): Promise<Result<readonly StatsRow[]>>
  agents(source: string, id: string): Promise<Result<readonly PastAgent[]>>
  search(query: SearchQuery): Promise<Result<readonly Hit[]>>
  /** Messages that have to do with a text; not all of its words need to be there. */
  recall(query: RecallQuery): Promise<Result<Recalled>>
  /**
   * Prices may have changed since sessions were read: `markOf` says of a model which price it has. Those that hang on another one
   * are read again with the next refresh; answers how many that are.
   */
  repriced(markOf: (model: string) => string): Promise<Result<number>>
  /**
   * Sessions last active before this are not kept, and not read again while they stay as they are; answers how many went. Those that
   * went under another limit and may be kept now are read again with the next refresh. Null keeps all.
   */
  retain(before: number | null): Promise<Result<number>>
  /** Of whom something is kept that no list shows. */
  hidden(): Promise<Result<readonly HiddenSession[]>>
  /** Takes these out, from the file itself too, and answers how much that was. Nothing else may be written meanwhile. */
  forget(sessions: readonly SessionRef[]): Promise<Result<ForgottenCounts>>
  close(): Promise<void>
}
