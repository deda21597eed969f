import type { FoundPassages } from '@panoptes/engine/store'
import type { RefreshResult } from './refresh.ts'
import type { Limits } from './walk.ts'

export interface WorkerSetup {
  readonly role: 'indexer' | 'searcher'
  readonly file: string
  readonly limits: Limits
}

/** Calls to the worker that indexes the folders. */
export interface IndexerCalls {
  [method: string]: (...args: never[]) => unknown
  open(): null
  refresh(folders: readonly string[]): RefreshResult
  close(): null
}

/** Calls to the worker that searches the index. */
export interface SearcherCalls {
  [method: string]: (...args: never[]) => unknown
  search(text: string, most: number): FoundPassages
  close(): null
}
