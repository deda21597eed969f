import type { CountedSession, Listed } from '@panoptes/engine/sources'
import type { Failure } from '@panoptes/schema'
import type { Contribution } from './aggregate.ts'
import type { Skip } from './skips.ts'

/** Where sessions are read from. */
export type HistorySpec =
  | { readonly kind: 'hermes'; readonly scope: string; readonly path: string }
  | { readonly kind: 'source'; readonly scope: string; readonly name: string }

/** Returns the source of the sessions. */
export const specSource = (spec: HistorySpec): string => (spec.kind === 'hermes' ? 'hermes' : spec.name)

/** A session that may have to be read. */
export interface Candidate {
  readonly id: string
  readonly fingerprint: string
  /** Archived by its owner: it does not count unless it already did. */
  readonly apart: boolean
  /** The listing by its source, so that any worker can read it. */
  readonly about: CountedSession | Listed
  /** The values counted from this session before. */
  readonly before?: Pick<Contribution, 'values' | 'seen' | 'base'> | undefined
}

export interface Listing {
  readonly sessions: readonly Candidate[]
  /** Sessions that could not be listed. */
  readonly skipped: readonly Skip[]
}

export interface Scanned {
  readonly contribution: Contribution
  readonly messages: number
}

/** The sessions of one place, read for their metrics. It never throws. */
export interface History {
  /** The source of the sessions. */
  readonly source: string
  /** Unchanged while nothing was written; undefined if that cannot be determined. */
  mark(): string | undefined
  /** A failure means that the list of sessions is unknown. */
  list(signal: AbortSignal): Promise<Listing | Failure>
  /** Returns results in the requested order. A failure means that none of the sessions can be read now. */
  scan(batch: readonly Candidate[], signal: AbortSignal): Promise<readonly (Scanned | Failure)[] | Failure>
  close(): void
}

export const isFailure = (value: object): value is Failure => 'ok' in value && value.ok === false
