import type { Session } from '@panoptes/schema'
import type { Listed, SessionRecord } from './port.ts'

/** A result of a fold. Two results of a session with the same version are the same. */
export interface Folded {
  readonly version: string
  readonly value: object
}

/** Sums up one session while it is read. */
export interface FoldRun {
  /** Takes the agents, messages and skipped parts of the session, redacted, in their order. */
  readonly take: (record: SessionRecord) => void
  /** Returns the result once the session, which comes last, is known. */
  readonly end: (session: Session) => Folded
}

/**
 * What a module wants to know about every session. The sessions are read once for all folds, so a fold is pure:
 * it reads no file and asks no clock.
 */
export interface Fold {
  readonly name: string
  /** Changes whenever the same session would give another result. Then all sessions are read again. */
  readonly rules: string
  /** Returns undefined if the fold does not take sessions of this source. */
  readonly start: (source: string, listed: Listed) => FoldRun | undefined
}

/** The fingerprint of a session that does not change with the sessions that it copied. */
export const ownFingerprint = ({ own, fingerprint }: Listed): string => own ?? fingerprint
