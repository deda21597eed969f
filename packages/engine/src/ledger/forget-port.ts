import type { Work } from '@panoptes/engine/threads'
import type { RemovedCount, Result, SessionRef } from '@panoptes/schema'

/** Who was forgotten, as hashes with a key: it says of a session whether it was, and not which they are. */
export interface Forgotten {
  readonly key: Uint8Array
  readonly hashes: readonly string[]
}

/**
 * Takes sessions out of the log for good. An event of theirs leaves its seq behind and nothing else, and what comes of them later
 * is not stored. What was begun and not ended is pending, also after a crash. No method throws.
 */
export interface Forgetting {
  /** Whether nothing of it is stored any more. */
  has(session: SessionRef): boolean
  forgotten(): Promise<Result<Forgotten>>
  pending(): Promise<Result<readonly SessionRef[]>>
  /** From here on nothing of them is stored any more. */
  begin(sessions: readonly SessionRef[]): Promise<Result<null>>
  /** Removes what is there, from the file itself too, and answers how much that was. */
  remove(sessions: readonly SessionRef[], work?: Work): Promise<Result<readonly RemovedCount[]>>
  end(sessions: readonly SessionRef[]): Promise<Result<null>>
}
