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

import type { ArchiveChunk, SessionArchive } from '../session-archive/port.ts'
import type { ForgottenCounts } from './forget.ts'

/** Holds what the index stores about a message. Its text is searchable but not stored. */
export interface IndexedMessage {
  readonly id: string
  readonly agent_id: string
  readonly role: Message['role']
  readonly ts: number | null
  readonly model: string | null
  /**
   * The searchable text consists of the message's text and of the inputs and results of its tools. As bytes,
   * it is the output of `indexText`.
   */
  readonly text: string | Uint8Array
  readonly tools: readonly string[]
  /** Counts the results that report a failure. */
  readonly errors: number
  /** The tools of those results, as far as they are known. */
  readonly failed: readonly string[]
  readonly usage: TokenUsage | null
  readonly cost_micro_usd: number | null
}

/** What a fold made of a session. */
export interface FoldRow {
  readonly fold: string
  /** Two rows of a session with the same version are the same. */
  readonly version: string
  /** How its source listed the session, as JSON. */
  readonly listed: string
  readonly doc: string
}
export type FoldedSession = Pick<FoldRow, 'version' | 'listed'>

/**
 * Changes to the index, in order. A session is begun, written in parts and ended; only then does it replace
 * the previous version. Until it ends, or when it is abandoned, the previous version stays.
 */
export type IndexChange =
  | {
      readonly type: 'begin'
      readonly source: string
      readonly id: string
      readonly place: string
      /** The fingerprint without the parts that depend on other sessions. Present if the archive is written. */
      readonly own?: string | undefined
    }
  | { readonly type: 'agent'; readonly source: string; readonly id: string; readonly agent: SessionAgent }
  | {
      readonly type: 'messages'
      readonly source: string
      readonly id: string
      readonly messages: readonly IndexedMessage[]
    }
  | { readonly type: 'chunk'; readonly source: string; readonly id: string; readonly chunk: ArchiveChunk }
  | {
      readonly type: 'end'
      readonly session: Session
      /** The session without computed costs, and whether its messages are kept. */
      readonly archive?: { readonly session: Session; readonly kept: boolean } | undefined
      /** What folds made of it. */
      readonly folds?: readonly FoldRow[] | undefined
    }
  /** The complete list of archived sessions that the source no longer has. */
  | { readonly type: 'gone'; readonly source: string; readonly ids: readonly string[]; readonly at: number }
  /** Discards what was begun. */
  | { readonly type: 'leave'; readonly source: string; readonly id: string }
  | { readonly type: 'drop'; readonly source: string; readonly id: string }

export interface SessionFilter {
  /** The id of a session, or the beginning of one. */
  readonly id?: string | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** The computer that the session is from. */
  readonly host?: string | undefined
  readonly model?: string | undefined
  readonly tool?: string | undefined
  /** This selects only these sessions. */
  readonly of?: readonly SessionRef[] | undefined
  /**
   * These bounds apply to the time when the session was last active: `since` is inclusive, `until` exclusive,
   * in milliseconds.
   */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly errors?: boolean | undefined
  readonly min_cost_micro_usd?: number | undefined
}

export interface SessionListQuery extends SessionFilter {
  readonly limit: number
  readonly offset?: number | undefined
}

/** Sums up in numbers what a session did. */
export interface SessionWork extends SessionRef {
  readonly title: string | null
  readonly project: string | null
  readonly started_at: number | null
  readonly last_at: number | null
  readonly ended_at: number | null
  /** The replies of every agent in the session. */
  readonly turns: number
  readonly tool_calls: number
  readonly errors: number
  /** This is null when some are unknown. */
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
  /** The message's position in its session, counted from 0. */
  readonly n: number
  readonly id: string
  readonly agent_id: string
  readonly role: Message['role']
  readonly ts: number | null
  readonly title: string | null
  readonly project: string | null
  readonly prompts_only?: boolean
  readonly place: string
}

/** A text to find related messages for. */
export interface RecallQuery {
  readonly text: string
  readonly most: number
  /** Leaves out messages of this session: those from a time on, or all of them. */
  readonly except?:
    | { readonly source: string; readonly session_id: string; readonly since: number | null }
    | undefined
  /** A deadline on the clock of `performance.now`. The search returns what it found by then. */
  readonly until: number
}

/** A word, and how significant it is that a message contains it. */
export interface WeighedWord {
  readonly word: string
  readonly weight: number
}

export interface Recalled {
  /** Messages of people and agents, best match first. */
  readonly hits: readonly Hit[]
  /** The words of the text that occur anywhere. */
  readonly words: readonly WeighedWord[]
}

/** A session that was begun and has not ended yet, or that was removed because it is too old. */
export interface HiddenSession extends SessionRef {
  readonly why: 'begun' | 'aged'
}

/**
 * Changes that arrive over time. They are committed at intervals and at the end. A failure discards those
 * that were not committed, and every further call reports it.
 */
export interface IndexBatch {
  add(changes: readonly IndexChange[]): Promise<Result<null>>
  end(): Promise<Result<null>>
}

export interface IndexOptions {
  readonly readOnly?: boolean | undefined
  /** The words are stored in parts of about this many messages. */
  readonly messagesAPart?: number | undefined
}

/**
 * The search index of past sessions. Everything in it can be read again from the sources or from the archive.
 * No method throws.
 */
export interface SessionIndex {
  /**
   * The messages of these sessions, in the same file. A shared store has none: it keeps uploaded sessions in
   * tables of their own.
   */
  readonly archive?: SessionArchive | undefined
  /** Returns the fingerprint of each complete session of a source. */
  fingerprints(source: string): Promise<Result<ReadonlyMap<string, string>>>
  /** Writes all changes or none. */
  write(changes: readonly IndexChange[]): Promise<Result<null>>
  /** Opens a batch for very many changes. */
  batch(): IndexBatch
  /** Lists sessions, the newest first. */
  list(query: SessionListQuery): Promise<Result<readonly PastSession[]>>
  /** Returns the session of this source with exactly this id. */
  get(source: string, id: string): Promise<Result<PastSession | null>>
  /** Returns what each session did, newest first. */
  works(query: SessionListQuery): Promise<Result<readonly SessionWork[]>>
  /** Sums by group, most expensive first. Days come in order, and tools sort by their calls. */
  stats(filter: SessionFilter, by: StatsGroup): Promise<Result<readonly StatsRow[]>>
  agents(source: string, id: string): Promise<Result<readonly PastAgent[]>>
  search(query: SearchQuery): Promise<Result<readonly Hit[]>>
  /** Finds messages related to a text. A message need not contain all of its words. */
  recall(query: RecallQuery): Promise<Result<Recalled>>
  /**
   * What a fold made of the sessions of a source, without the results. They stay when a source or the index
   * drops a session; only forgetting removes them.
   */
  folded(fold: string, source: string): Promise<Result<readonly FoldedSession[]>>
  /** Returns these results of a fold as JSON, by session; a session without one is left out. */
  foldDocs(fold: string, source: string, ids: readonly string[]): Promise<Result<ReadonlyMap<string, string>>>
  /**
   * Prices may have changed since sessions were read; `priceMark` returns the current price version of a
   * model. Sessions that depend on another version are read again with the next refresh. Returns how many
   * there are.
   */
  repriced(priceMark: (model: string) => string): Promise<Result<number>>
  /**
   * The rules of folds may have changed since sessions were read; then their sessions are read again with the
   * next refresh. Returns how many there are.
   */
  refolded(rules: ReadonlyMap<string, string>): Promise<Result<number>>
  /**
   * Drops sessions that were last active before this time and does not read them again while they stay
   * unchanged. Returns how many were dropped. Sessions dropped under another limit that may now stay are read
   * again with the next refresh. Null keeps all.
   */
  retain(before: number | null): Promise<Result<number>>
  /** Sessions that are stored but that no list shows. */
  hidden(): Promise<Result<readonly HiddenSession[]>>
  /**
   * Removes these sessions, including from the file itself, and returns how much that was. Nothing else may
   * be written meanwhile.
   */
  forget(sessions: readonly SessionRef[]): Promise<Result<ForgottenCounts>>
  close(): Promise<void>
}
