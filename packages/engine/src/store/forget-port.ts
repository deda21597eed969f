import type { Work } from '@panoptes/engine/worker-rpc'
import type { RemovedCount, Result, SessionRef } from '@panoptes/schema'

/**
 * Identifies forgotten sessions by keyed hashes: it can tell whether a session was forgotten, but does not
 * list which ones.
 */
export interface Forgotten {
  readonly key: Uint8Array
  readonly hashes: readonly string[]
}

/**
 * Removes sessions from the log for good. Each of their events leaves only its seq behind, and later events
 * of these sessions are not stored. A removal that began and did not finish stays pending, even after a
 * crash. No method throws.
 */
export interface Forgetting {
  /** Returns whether events of this session are no longer stored. */
  has(session: SessionRef): boolean
  forgotten(): Promise<Result<Forgotten>>
  pending(): Promise<Result<readonly SessionRef[]>>
  /** Stops storing anything of these sessions from now on. */
  begin(sessions: readonly SessionRef[]): Promise<Result<null>>
  /** Removes what is stored, including from the file itself, and returns how much that was. */
  remove(sessions: readonly SessionRef[], work?: Work): Promise<Result<readonly RemovedCount[]>>
  end(sessions: readonly SessionRef[]): Promise<Result<null>>
}
