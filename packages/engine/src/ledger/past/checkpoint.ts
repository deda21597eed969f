import type { PackedRow } from './packed-rows.ts'

/** A seek folds at most about this many events; with very many agents more, so that a checkpoint costs an event less than a row. */
export const CHECKPOINT_EVERY = 2_000

/** Ended agents are still shown for this long, as on the live graph. */
export const RECENT_MS = 600_000

/** What a replay starts from. */
export interface Checkpoint {
  readonly seq: number
  readonly rows: readonly PackedRow[]
  /** What retention left behind: nothing is known of how it came to be. */
  readonly isBase: boolean
}

/** The session's own row says when something was last told of it. */
export const isAhead = ({ group, key, order }: PackedRow, ts: number): boolean => key === group && order > ts
