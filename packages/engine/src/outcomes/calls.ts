import type { OwnPrice } from '@panoptes/engine/models'
import type { AccountFingerprint, Forgotten, StoreLocation } from '@panoptes/engine/store'
import type { Account, Failure, SessionRef } from '@panoptes/schema'
import type { CountedLog } from './follow/fingerprint.ts'

export interface WorkerSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The location of the event store. A shared one also stores everyone's sessions. */
  readonly place?: StoreLocation | undefined
  /** The file with the archive of sessions, if there is one. */
  readonly history?: string | undefined
  readonly prices: Readonly<Record<string, OwnPrice>>
  /** The file of downloaded prices; it need not exist. */
  readonly catalogue: string
  /** The time zone that determines days. */
  readonly zone: string
  /** Sessions that must not be read, whatever the sources have. */
  readonly forgotten: Forgotten
  /** The folder of the journals that claims may refer to. */
  readonly journals: string
}

export interface Looked {
  /** Number of changed or new sessions. */
  readonly changed: number
  /** When postponed changes are due, in milliseconds. */
  readonly again_ms: number | null
  readonly problem: Failure | null
}

export interface ReadAccounts {
  readonly accounts: readonly Account[]
  /** Number of sessions read, including those that failed. */
  readonly read: number
  readonly problem: Failure | null
}

/** An agent that has finished, unless it reports later. */
export interface EndedAgent {
  readonly source: string
  readonly session_id: string
  readonly agent_id: string
  readonly last_at: number | null
}

/** A session that may exist only as events. */
export interface LogSession extends SessionRef {
  /** The state of its events in the log. */
  readonly of: string
  /** Number of its events, including those deleted by retention. */
  readonly events: number
}

/** An account made from more of the log than is left, and up to which event. */
export interface Counted {
  readonly account: Account
  readonly to: number
}

/** The calls of the worker that reads sessions for their outcomes. */
export interface ReviewerCalls {
  /** Replaces what is known about a source. */
  know(source: string, accounts: readonly AccountFingerprint[]): null
  /** Sets the names of skills, which a command may refer to. */
  skills(names: readonly string[]): null
  /**
   * Looks for changes in a source. With `patient`, large sessions that were read recently are
   * postponed.
   */
  look(source: string, patient: boolean): Looked
  /** Reads the next changed sessions; null when all are read. */
  next(): ReadAccounts | null
  /**
   * Marks agents as ended although their sessions do not say so, so that their estimates can be
   * compared. Their sessions are read again.
   */
  ended(agents: readonly EndedAgent[]): null
  /** Returns which of these accounts are made from a source, and which of the others changed. */
  madeOf(sessions: readonly LogSession[]): readonly ('session' | 'log' | 'unchanged')[]
  /**
   * Adds events, as JSON texts, of the session whose account is being made from the log. `isFirst`
   * begins a new session.
   */
  more(source: string, rows: readonly string[], isFirst: boolean): null
  /** Returns its account from all events since the last one. */
  made(session: LogSession, log: CountedLog, before: Counted | null): Account
  forget(sessions: readonly SessionRef[]): null
  close(): null
}
