import type { ContributionRow, Forgotten, LedgerPlace, UnlockRow } from '@panoptes/engine/ledger'
import type { AchievementItem, Failure, SessionRef } from '@panoptes/schema'
import type { Candidate, HistorySpec, Scanned } from './history.ts'
import type { Aggregate } from './metrics.ts'
import type { ScanTotals } from './scan-history.ts'
import type { Skip } from './skips.ts'

export interface WorkerSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  /** Who is not to be read, whatever the sources have. */
  readonly forgotten: Forgotten
  /** It reads for another thread, while nobody else wants the core. */
  readonly helps?: boolean
}

export interface Evaluated {
  readonly items: readonly AchievementItem[]
  readonly aggregate: Aggregate
  readonly sessions: number
  readonly messages: number
  /** What could not be read in sessions that count. */
  readonly skipped: readonly Skip[]
  /** Those that were not there before, or got a tier more. */
  readonly unlocked: readonly UnlockRow[]
}

export interface ViewRequest {
  readonly scopes: readonly string[]
  readonly zone: string
  /** The name under which its unlocks are kept. */
  readonly view: string
  readonly unlocks: readonly UnlockRow[]
  /** All of it is Hermes': evidence has the shape that Hermes gives it, and need not say whose it is. */
  readonly isHermes: boolean
}

/** What a thread that reads for another can be asked. */
export interface ReaderCalls {
  /** Reads some sessions. */
  scanBatch(spec: HistorySpec, batch: readonly Candidate[]): readonly (Scanned | Failure)[] | Failure
  close(): null
}

/** What the thread that knows all contributions can be asked. */
export interface ScannerCalls extends ReaderCalls {
  /** What was kept of a scope, page by page, before anything else is asked of it. */
  know(scope: string, source: string, rows: readonly ContributionRow[]): null
  /** Reads what changed; what is to be kept comes in parts. */
  scan(spec: HistorySpec, full: boolean): ScanTotals
  evaluate(view: ViewRequest): Evaluated
  /** The catalogue evaluated on one session; nothing where it is not known. */
  badges(scopes: readonly string[], session: string, zone: string): readonly AchievementItem[] | null
  writeCheckpoint(scope: string, database: string, file: string): null
  /** Forgets whose the numbers are. */
  forget(sessions: readonly SessionRef[]): null
  drop(scope: string): null
}
