import type { DatabaseSync } from 'node:sqlite'

/** The writer goes on meanwhile: each round is left with what came during the one before, and that is soon little. */
const MOST_ROUNDS = 6

/** Moves the log beside the file into the file, so that the writer need not stop to do it. */
export function tidy(db: DatabaseSync): null {
  const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { busy, log, checkpointed } = move.get() ?? {}
    if (busy === 1 || log === checkpointed) break
  }
  return null
}
