import type { Result } from '@panoptes/schema'

/** What one session amounted to. */
export interface ContributionRow {
  /** Whose session it is: a source, or one database of it. Ids are unique in it. */
  readonly scope: string
  readonly source: string
  readonly id: string
  /** Another one means that the session has to be read again. */
  readonly fingerprint: string
  /** JSON. */
  readonly doc: string
}

/** What was unlocked in one view of the sessions. */
export interface UnlockRow {
  readonly view: string
  readonly id: string
  /** JSON; its `evidence` may name a session. */
  readonly doc: string
}

/**
 * What achievements stand on. It is no part of the log: what a session amounted to stays when the session itself is gone from its
 * source, and what was unlocked stays unlocked. No method throws.
 */
export interface Achieved {
  /** By id; `after` goes on where a page ended. */
  contributions(scope: string, after: string, limit: number): Promise<Result<readonly ContributionRow[]>>
  contribute(rows: readonly ContributionRow[]): Promise<Result<null>>
  /** Takes away what the sessions of a scope amounted to; answers how many. */
  drop(scope: string): Promise<Result<number>>
  unlocks(view: string): Promise<Result<readonly UnlockRow[]>>
  unlock(rows: readonly UnlockRow[]): Promise<Result<null>>
  /** Takes away what was unlocked in a view, and in those whose name goes on after it with a line feed; answers how many. */
  lock(view: string): Promise<Result<number>>
  /** What has to be known before anything is counted: by whose clock, of which home, since when. */
  notes(): Promise<Result<ReadonlyMap<string, string>>>
  note(name: string, value: string): Promise<Result<null>>
}
