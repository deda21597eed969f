import type { Failure, Message, Session, SessionAgent } from '@panoptes/schema'

/** A session as its source lists it: enough to know whether it has to be read again. */
export interface Listed {
  readonly id: string
  /** Changes whenever a read would give something else. */
  readonly fingerprint: string
  /** Its fingerprint without what hangs on other sessions, where something does. */
  readonly own?: string
  /** Where the source keeps it: a file, or a database and what is in it. */
  readonly place: string
}

/** Who did the work of a message, where several did in one thread. */
export interface Worker {
  readonly agent_id: string
  readonly subagent_type: string
  /** Known also where it is paid for elsewhere. */
  readonly model: string | null
}
export type Worked = Message & { readonly worker?: Worker | undefined }

/** What a read gives. A message never comes before the agent it is of; the session itself comes last, when all of it is known. */
export type SessionRecord =
  | { readonly kind: 'agent'; readonly agent: SessionAgent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'session'; readonly session: Session }
  /** Something that could not be read is passed over, and said. */
  | { readonly kind: 'skipped'; readonly place: string; readonly reason: string }
  /** Nothing follows it. */
  | { readonly kind: 'failed'; readonly failure: Failure }

export type ListRecord =
  | ({ readonly kind: 'listed' } & Listed)
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * Reads the sessions that one kind of agent leaves behind. It only ever reads, it never throws, and it holds at most one
 * turn of a conversation in memory. Other programs write to what it reads meanwhile.
 */
export interface SessionSource {
  readonly name: string
  list(signal?: AbortSignal): AsyncIterable<ListRecord>
  read(listed: Listed, signal?: AbortSignal): AsyncIterable<SessionRecord>
  /**
   * Single messages of a session by their ids, where a source can tell them without reading all of it. What is not found, or cannot
   * be read now, is left out, and so is what was not found when it is stopped.
   */
  find?(listed: Listed, ids: readonly string[], stopped?: () => boolean): Promise<readonly Message[]>
  /** Says when a session may have changed, by id where that is known. Ends when the answer is called. */
  watch(changed: (id?: string) => void): () => void
}
