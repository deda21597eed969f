import type { IndexedSession, SearchQuery, SessionListQuery } from '@panoptes/engine/ledger'
import type { OwnPrice } from '@panoptes/engine/models'
import type { Message, SessionAgent } from '@panoptes/schema'
import type { Refreshed } from './refresh.ts'
import type { Found } from './search.ts'

/** What the thread that fills the index can be asked. */
export interface IndexerCalls {
  open(): null
  /** Brings the index up to date with one source. */
  refresh(source: string): Refreshed
  close(): null
}

export interface TranscriptQuery {
  readonly source: string
  readonly id: string
  /** From this message on, and at most so many. */
  readonly from: number
  readonly limit: number
}

export interface Transcript {
  readonly session: IndexedSession
  readonly agents: readonly SessionAgent[]
  readonly messages: readonly Message[]
  /** Where it goes on; null at the end. */
  readonly next: number | null
}

/** What the thread that answers questions can be asked. */
export interface SearcherCalls {
  open(): null
  list(query: SessionListQuery): readonly IndexedSession[]
  find(id: string, source: string | undefined): readonly IndexedSession[]
  search(query: SearchQuery): readonly Found[]
  transcript(query: TranscriptQuery): Transcript
  close(): null
}

export type Role = 'indexer' | 'searcher'

export interface WorkerSetup {
  readonly role: Role
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly prices: Readonly<Record<string, OwnPrice>>
}
