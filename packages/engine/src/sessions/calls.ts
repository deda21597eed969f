import type {
  Forgotten,
  ForgottenCounts,
  LedgerPlace,
  SearchQuery,
  SessionFilter,
  SessionListQuery,
  SessionWork,
} from '@panoptes/engine/ledger'
import type { OwnPrice } from '@panoptes/engine/models'
import type { Listed } from '@panoptes/engine/sources'
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

/** What the thread that fills the index can be asked. */
export interface IndexerCalls {
  open(): null
  /** Brings the index up to date with one source; patiently, what is large and was read just now is left for later. */
  refresh(source: string, patient: boolean): Refreshed
  /** Takes these out for good; what is being read ends first, and has to be begun again. */
  forget(sessions: readonly SessionRef[]): ForgottenCounts
  /** From here on these are not read; another process takes out what there is. */
  hide(sessions: readonly SessionRef[]): null
  close(): null
}

/** What the thread that only reads can be asked: whether it is there, to begin with these, and then for one part after the other. */
export interface ReaderCalls {
  /** Sessions to be read after those before. */
  more(source: string, listed: readonly Listed[]): null
  /** Nothing when all of them were read. */
  next(): PackedPart | null
  close(): null
}

export interface TranscriptQuery {
  readonly source: string
  readonly id: string
  /** From this message on, and at most so many. */
  readonly from: number
  readonly limit: number
}

export interface MessageQuery {
  readonly source: string
  readonly id: string
  /** Its place in the session, from 0 on. */
  readonly n: number
}

export interface OpeningQuery extends SessionRef {
  /** Replies of its own agent. */
  readonly turns: number
}

/** How a session began: the messages of its own agent up to a number of turns, results of the last one included. */
export interface Opening {
  readonly session: PastSession
  readonly messages: readonly Message[]
}

/** What the thread that answers questions can be asked. */
export interface SearcherCalls {
  open(): null
  list(query: SessionListQuery): readonly PastSession[]
  hidden(): readonly SessionRef[]
  works(query: SessionListQuery): readonly SessionWork[]
  stats(filter: SessionFilter, by: StatsGroup): readonly StatsRow[]
  search(query: SearchQuery): readonly FoundMessage[]
  recall(text: string, options: RecallOptions): RecalledMessages
  transcript(query: TranscriptQuery): TranscriptReply
  message(query: MessageQuery): PastMessage
  export(query: ExportQuery): ExportedFile
  outline(ref: SessionRef): OutlineReply
  opening(query: OpeningQuery): Opening
  /** From here on nothing of these is shown, also not what others have copied of them. */
  forget(sessions: readonly SessionRef[]): null
  close(): null
}

export type Role = 'indexer' | 'reader' | 'searcher'

export interface WorkerSetup {
  readonly role: Role
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  readonly prices: Readonly<Record<string, OwnPrice>>
  readonly forgotten: Forgotten
  /** Prices that were fetched, where there are any. */
  readonly catalogue: string | null
  /** Sessions last active longer ago are not kept. */
  readonly maxAgeDays: number | null
}
