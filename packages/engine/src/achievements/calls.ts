import type { ContributionRow, Forgotten, StoreLocation, UnlockRow } from '@panoptes/engine/store'
import type { AchievementItem, Failure, SessionRef } from '@panoptes/schema'
import type { Candidate, HistorySpec, Scanned } from './history.ts'
import type { Aggregate } from './metrics.ts'
import type { ScanTotals } from './scan-history.ts'
import type { Skip } from './skips.ts'

export interface WorkerSetup {
  /** The location of the event store. A shared one also stores everyone's sessions. */
  readonly place?: StoreLocation | undefined
  /** The file with the archive of sessions, if there is one. */
  readonly history?: string | undefined
  /** Sessions that must not be read, whatever the sources have. */
  readonly forgotten: Forgotten
}

export interface ReaderSetup {
  /** The database of Hermes. */
  readonly path: string
}

export interface Evaluated {
  readonly items: readonly AchievementItem[]
  readonly aggregate: Aggregate
  readonly sessions: number
  readonly messages: number
  /** Unreadable parts of sessions that count. */
  readonly skipped: readonly Skip[]
  /** New unlocks, and those that reached a new tier. */
  readonly unlocked: readonly UnlockRow[]
}

export interface ViewRequest {
  readonly scopes: readonly string[]
  readonly zone: string
  /** The key under which its unlocks are stored. */
  readonly view: string
  readonly unlocks: readonly UnlockRow[]
  /**
   * All sessions are of Hermes, so evidence has the format of Hermes and need not name a source.
   */
  readonly isHermes: boolean
}

/** The calls of a second worker that reads sessions of Hermes. */
export interface ReaderCalls {
  /** Reads some sessions. */
  scanBatch(batch: readonly Candidate[]): readonly (Scanned | Failure)[] | Failure
  close(): null
}

/** The calls of the worker that holds all contributions. */
export interface ScannerCalls {
  /** Loads the stored rows of a scope, page by page, before any other call for it. */
  know(scope: string, source: string, rows: readonly ContributionRow[]): null
  /** Reads changed sessions and sends what must be stored in parts. */
  scan(spec: HistorySpec, full: boolean): ScanTotals
  evaluate(view: ViewRequest): Evaluated
  /** Evaluates the catalogue on one session; null if it is unknown. */
  badges(scopes: readonly string[], session: string, zone: string): readonly AchievementItem[] | null
  writeCheckpoint(scope: string, database: string, file: string): null
  /** Removes the identity of these sessions from their numbers. */
  forget(sessions: readonly SessionRef[]): null
  drop(scope: string): null
  close(): null
}
