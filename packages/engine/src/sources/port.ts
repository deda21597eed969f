import type { Failure, Message, Session, SessionAgent } from '@panoptes/schema'

/** A session as its source lists it, with enough to decide whether it has to be read again. */
export interface Listed {
  readonly id: string
  /** Changes whenever a read would give a different result. */
  readonly fingerprint: string
  /** The fingerprint without the parts that depend on other sessions, where there are any. */
  readonly own?: string
  /** Where the source keeps it: a file, or a database and a row in it. */
  readonly place: string
  /** True if only the prompts of the session are left, which are no work to count. */
  readonly promptsOnly?: boolean
}

/** The agent that did the work of a message, when several worked in one thread. */
export interface Worker {
  readonly agent_id: string
  readonly subagent_type: string
  /** Known even when another source counts the cost. */
  readonly model: string | null
}
export type Worked = Message & { readonly worker?: Worker | undefined }

/**
 * The records of a read. A message never precedes its agent, and the session comes last, when all of it is
 * known.
 */
export type SessionRecord =
  | { readonly kind: 'agent'; readonly agent: SessionAgent }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'session'; readonly session: Session }
  /** Something unreadable was skipped, with the reason. */
  | { readonly kind: 'skipped'; readonly place: string; readonly reason: string }
  /** No record follows this one. */
  | { readonly kind: 'failed'; readonly failure: Failure }

export type ListRecord =
  | ({ readonly kind: 'listed' } & Listed)
  | { readonly kind: 'failed'; readonly failure: Failure }

/** The files of an agent that keeps each session in files of its own. */
export interface SessionFiles {
  /** The folder that contains them all. */
  readonly root: string
  /** Lists the files that belong to one session alone by their paths below the folder, its transcript first. */
  list(listed: Listed): Promise<readonly string[]>
}

/**
 * Reads the sessions that one kind of agent stores. It never writes, never throws, and holds at most one turn
 * of a conversation in memory. Other programs may write to the files during a read.
 */
export interface SessionSource {
  readonly name: string
  list(signal?: AbortSignal): AsyncIterable<ListRecord>
  /**
   * Lists further sessions, of which the agent has deleted everything but the prompts. It leaves out those that
   * `isKnown` names, because more is left of them.
   */
  listPromptsOnly?(isKnown: (id: string) => boolean, signal?: AbortSignal): AsyncIterable<ListRecord>
  read(listed: Listed, signal?: AbortSignal): AsyncIterable<SessionRecord>
  /**
   * Finds single messages of a session by their ids, where a source can do so without a full read. It leaves
   * out what it does not find, cannot read, or has not reached when stopped.
   */
  find?(listed: Listed, ids: readonly string[], stopped?: () => boolean): Promise<readonly Message[]>
  /** Absent where sessions are rows of a database. */
  readonly files?: SessionFiles
  /**
   * Calls back when a session may have changed, with its id where that is known. Returns a function that ends
   * the watch.
   */
  watch(changed: (id?: string) => void): () => void
}
