import type { OwnPrice } from '@panoptes/engine/models'
import type { ArchiveSettings, Listed } from '@panoptes/engine/sources'
import type {
  ArchiveCount,
  Forgotten,
  ForgottenCounts,
  SearchQuery,
  SessionFilter,
  SessionListQuery,
  SessionWork,
  StoreLocation,
} from '@panoptes/engine/store'
import type {
  FoundMessage,
  Message,
  OutlineReply,
  PastMessage,
  PastSession,
  SessionRef,
  StatsGroup,
  StatsRow,
  TranscriptReply,
} from '@panoptes/schema'
import type { ExportedFile, ExportQuery } from './export/export.ts'
import type { PackedPart } from './part-codec.ts'
import type { RecalledMessages, RecallOptions } from './recall.ts'
import type { Refreshed } from './refresh.ts'

/** What a read depends on besides the sessions. */
export interface ReadingContext {
  /** The names that a slash command may refer to. */
  readonly skills: readonly string[]
  /** The time by which sessions are too old; null if it cannot be trusted, and then none is. */
  readonly now: number | null
}

/** Calls to the worker that fills the index. */
export interface IndexerCalls {
  open(now: number | null): null
  /**
   * Brings the index up to date with one source. When patient, it postpones large sessions that were read
   * recently.
   */
  refresh(source: string, patient: boolean, around: ReadingContext): Refreshed
  /** Deletes these sessions from the index. It interrupts running reads, which then restart. */
  forget(sessions: readonly SessionRef[]): ForgottenCounts & { readonly originals: number }
  /** Stops reading these sessions, like `forget`; another process deletes them. */
  hide(sessions: readonly SessionRef[]): null
  close(): null
}

/**
 * Calls to the worker that only reads. The first call passes sessions, and the following ones fetch part
 * after part.
 */
export interface ReaderCalls {
  /** Adds sessions to read after the previous ones. */
  more(source: string, listed: readonly Listed[]): null
  /** Returns null when all sessions were read. */
  next(): PackedPart | null
  close(): null
}

export interface TranscriptQuery {
  readonly source: string
  readonly id: string
  /** The first message and the maximum number. */
  readonly from: number
  readonly limit: number
}

export interface MessageQuery {
  readonly source: string
  readonly id: string
  /** The position in the session, starting at 0. */
  readonly n: number
}

export interface OpeningQuery extends SessionRef {
  /** The number of replies of the session's own agent. */
  readonly turns: number
}

/**
 * The beginning of a session: its own agent's messages up to a number of turns, including the results of the
 * last one.
 */
export interface Opening {
  readonly session: PastSession
  readonly messages: readonly Message[]
}

/** Calls to the worker that answers queries. */
export interface SearcherCalls {
  open(): null
  list(query: SessionListQuery): readonly PastSession[]
  hidden(): readonly SessionRef[]
  works(query: SessionListQuery): readonly SessionWork[]
  stats(filter: SessionFilter, by: StatsGroup): readonly StatsRow[]
  /** Counts the archived sessions of each source. */
  archiveCounts(): readonly ArchiveCount[]
  search(query: SearchQuery): readonly FoundMessage[]
  recall(text: string, options: RecallOptions): RecalledMessages
  transcript(query: TranscriptQuery): TranscriptReply
  message(query: MessageQuery): PastMessage
  export(query: ExportQuery): ExportedFile
  outline(ref: SessionRef): OutlineReply
  opening(query: OpeningQuery): Opening
  /** Hides these sessions from now on, including copies in other sessions. */
  forget(sessions: readonly SessionRef[]): null
  close(): null
}

export type Role = 'indexer' | 'reader' | 'searcher'

export interface WorkerSetup {
  readonly role: Role
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The location of the store. A shared store also contains everybody's uploaded sessions. */
  readonly place?: StoreLocation | undefined
  readonly prices: Readonly<Record<string, OwnPrice>>
  readonly forgotten: Forgotten
  /** Downloaded prices, if there are any. */
  readonly catalogue: string | null
  /** Sessions that were last active longer ago are not kept. */
  readonly maxAgeDays: number | null
  readonly archive: ArchiveSettings
  /** The folder for the files of sessions, if there is one. */
  readonly originals?: string | undefined
  /** The index of an older version, if there may be one. */
  readonly former: string | null
  /** The time zone that determines days. */
  readonly zone: string
  /** The names of skills, which a slash command may refer to. */
  readonly skills: readonly string[]
}
