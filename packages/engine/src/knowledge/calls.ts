import type { FoundPassages } from '@panoptes/engine/ledger'
import type { Refreshed } from './refresh.ts'
import type { Limits } from './walk.ts'

export interface WorkerSetup {
  readonly role: 'indexer' | 'searcher'
  readonly file: string
  readonly limits: Limits
}

/** What the thread that reads the folders can be asked. */
export interface IndexerCalls {
  [method: string]: (...args: never[]) => unknown
  open(): null
  refresh(folders: readonly string[]): Omit<Refreshed, 'folders'>
  /** Answers when something in the folders changed, true, or when it is closed. */
  changed(): boolean
  close(): null
}

/** What the thread that looks things up can be asked. */
export interface SearcherCalls {
  [method: string]: (...args: never[]) => unknown
  search(text: string, most: number): FoundPassages
  close(): null
}
