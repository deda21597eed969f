import type { CountedSession, Listed } from '@panoptes/engine/sources'
import type { Failure } from '@panoptes/schema'
import type { Contribution } from './aggregate.ts'
import type { Skip } from './skips.ts'

/** Where sessions are read from. */
export type HistorySpec =
  | { readonly kind: 'hermes'; readonly scope: string; readonly path: string }
  | { readonly kind: 'source'; readonly scope: string; readonly name: string }

/** Which kind of agent the sessions are of. */
export const sourceOf = (spec: HistorySpec): string => (spec.kind === 'hermes' ? 'hermes' : spec.name)

/** A session that may have to be read. */
export interface Candidate {
  readonly id: string
  readonly fingerprint: string
  /** It was put away by its owner: it does not count unless it did before. */
  readonly apart: boolean
  /** What its source said of it, so that any thread can read it. */
  readonly about: CountedSession | Listed
  /** What is known of it from before. */
  readonly before?: Pick<Contribution, 'values' | 'seen' | 'base'> | undefined
}

export interface Listing {
  readonly sessions: readonly Candidate[]
  /** What could not be listed. */
  readonly skipped: readonly Skip[]
}

export interface Scanned {
  readonly contribution: Contribution
  readonly messages: number
}

/** The sessions of one place, read for what they amount to. It never throws. */
export interface History {
  /** Which kind of agent they are of. */
  readonly source: string
  /** Stays the same while nothing was written; nothing where that cannot be told. */
  mark(): string | undefined
  /** A failure means that it is not known which sessions there are. */
  list(signal: AbortSignal): Promise<Listing | Failure>
  /** In the order asked for. A failure means that none of them can be read now. */
  scan(batch: readonly Candidate[], signal: AbortSignal): Promise<readonly (Scanned | Failure)[] | Failure>
  close(): void
}

export const isFailure = (value: object): value is Failure => 'ok' in value && value.ok === false
