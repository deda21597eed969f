import type { PackedRow } from './packed-rows.ts'

/**
 * A seek folds at most about this many events. With very many agents it folds more, so that a checkpoint
 * costs less than one row per event.
 */
export const CHECKPOINT_EVERY = 2_000

/** Ended agents stay visible for this long, as in the live graph. */
export const RECENT_MS = 600_000

/** The state that a replay starts from. */
export interface Checkpoint {
  readonly seq: number
  readonly rows: readonly PackedRow[]
  /** This is true for the state that retention left behind, whose history is unknown. */
  readonly isBase: boolean
}

/** The session's own row records when it last received an event. */
export const isAhead = ({ group, key, order }: PackedRow, ts: number): boolean => key === group && order > ts
