import type {
  Message,
  Result,
  Session,
  SessionAgent,
  TranscriptChange,
  TranscriptsReply,
} from '@panoptes/schema'

/** A session as it stands here. */
export interface StoredTranscript {
  readonly id: string
  readonly fingerprint: string
  readonly own?: string | undefined
  /** Whose telling it is. */
  readonly host: string
}

export type TranscriptRecord =
  | { readonly kind: 'agent'; readonly agent: SessionAgent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'skipped'; readonly place: string; readonly reason: string }

/** Some records of a session in their order; the session itself comes with the last of them. */
export interface TranscriptPage {
  readonly records: readonly TranscriptRecord[]
  readonly session?: Session | undefined
}

/**
 * Sessions of other computers, kept whole. A session takes the place of what was known of it at its end, all at once; of two hosts that tell
 * the same session the one that has told last stands. No method throws.
 */
export interface Transcripts {
  /** All of the changes are stored, or none. To store them twice is to store them once. */
  write(host: string, changes: readonly TranscriptChange[]): Promise<Result<TranscriptsReply>>
  /** What a host has told to its end: fingerprints by id. */
  known(source: string, host: string): Promise<Result<ReadonlyMap<string, string>>>
  /** What stands, the newest first, in pages. */
  list(source: string): AsyncIterable<Result<readonly StoredTranscript[]>>
  /** One session, in pages of a bounded size. What takes its place meanwhile changes nothing in what is given. */
  read(source: string, id: string): AsyncIterable<Result<TranscriptPage>>
  /** Single messages by their ids, in the order of the ids; what is not there is left out. */
  find(source: string, id: string, ids: readonly string[]): Promise<Result<readonly Message[]>>
  /** Says of which source sessions changed; of none in particular where something may have been missed. Ends when the answer is called. */
  watch(changed: (source: string | undefined) => void): () => void
  close(): Promise<void>
}
