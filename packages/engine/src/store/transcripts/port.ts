import type {
  Message,
  Result,
  Session,
  SessionAgent,
  TranscriptChange,
  TranscriptsReply,
} from '@panoptes/schema'

/** A session as it is stored here. */
export interface StoredTranscript {
  readonly id: string
  readonly fingerprint: string
  readonly own?: string | undefined
  /** The computer that uploaded it. */
  readonly host: string
}

export type TranscriptRecord =
  | { readonly kind: 'agent'; readonly agent: SessionAgent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'skipped'; readonly place: string; readonly reason: string }

/** Some records of a session in their order. The session itself comes with the last of them. */
export interface TranscriptPage {
  readonly records: readonly TranscriptRecord[]
  readonly session?: Session | undefined
}

/**
 * Complete sessions of other computers. A session belongs to the host that uploaded it; a finished upload
 * replaces that host's previous one at once. What another host uploads under the same id is stored beside it
 * under a name of its own. No method throws.
 */
export interface Transcripts {
  /** Stores all of the changes or none. Storing them twice has the same result as storing them once. */
  write(host: string, changes: readonly TranscriptChange[]): Promise<Result<TranscriptsReply>>
  /** Returns the fingerprints, by id, of the sessions that a host uploaded completely. */
  known(source: string, host: string): Promise<Result<ReadonlyMap<string, string>>>
  /**
   * Lists complete sessions in pages, newest first. A copy is left out while it contains nothing that the
   * first upload lacks.
   */
  list(source: string): AsyncIterable<Result<readonly StoredTranscript[]>>
  /**
   * Reads one session in pages of bounded size. A replacement that finishes meanwhile does not affect the
   * pages.
   */
  read(source: string, id: string): AsyncIterable<Result<TranscriptPage>>
  /** Returns messages by id, in the order of the ids, and skips those that do not exist. */
  find(source: string, id: string, ids: readonly string[]): Promise<Result<readonly Message[]>>
  /**
   * Reports the source whose sessions changed, or undefined when a change may have been missed. The returned
   * function stops watching.
   */
  watch(changed: (source: string | undefined) => void): () => void
  close(): Promise<void>
}
