import type { Result } from '@panoptes/schema'

/** Holds what one session contributed to achievements. */
export interface ContributionRow {
  /** The source, or one of its databases, in which session ids are unique. */
  readonly scope: string
  readonly source: string
  readonly id: string
  /** When the fingerprint changes, the session has to be read again. */
  readonly fingerprint: string
  /** The contribution as JSON. */
  readonly doc: string
}

/** An achievement that was unlocked in one view of the sessions. */
export interface UnlockRow {
  readonly view: string
  readonly id: string
  /** The unlock as JSON. Its `evidence` may name a session. */
  readonly doc: string
}

/**
 * The data behind achievements. It is not part of the log: a session's contribution stays when the session
 * disappears from its source, and unlocked achievements stay unlocked. No method throws.
 */
export interface AchievementStore {
  /** Lists contributions by id. `after` continues after the last id of a page. */
  contributions(scope: string, after: string, limit: number): Promise<Result<readonly ContributionRow[]>>
  contribute(rows: readonly ContributionRow[]): Promise<Result<null>>
  /** Deletes the contributions of a scope and returns how many there were. */
  drop(scope: string): Promise<Result<number>>
  unlocks(view: string): Promise<Result<readonly UnlockRow[]>>
  unlock(rows: readonly UnlockRow[]): Promise<Result<null>>
  /**
   * Deletes the unlocks of a view and of its sub-views, whose names continue with a line feed. Returns how
   * many there were.
   */
  lock(view: string): Promise<Result<number>>
  /** Settings that counting depends on: the time zone, the home folder, and the start date. */
  notes(): Promise<Result<ReadonlyMap<string, string>>>
  note(name: string, value: string): Promise<Result<null>>
}
