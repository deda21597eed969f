import type { Forgotten, KnownAccount, LedgerPlace } from '@panoptes/engine/ledger'
import type { OwnPrice } from '@panoptes/engine/models'
import type { Account, Failure, SessionRef } from '@panoptes/schema'
import type { CountedLog } from './follow/fingerprint.ts'

export interface WorkerSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  readonly prices: Readonly<Record<string, OwnPrice>>
  /** Prices that were fetched; the file need not be there. */
  readonly catalogue: string
  /** By whose clock a day is told. */
  readonly zone: string
  /** Who is not to be read, whatever the sources have. */
  readonly forgotten: Forgotten
  /** Where claims that point at a journal are looked up. */
  readonly journals: string
}

export interface Looked {
  /** How many changed, or are new. */
  readonly changed: number
  /** When what changed and was left alone for now is to be read, in milliseconds. */
  readonly again_ms: number | null
  readonly problem: Failure | null
}

export interface ReadAccounts {
  readonly accounts: readonly Account[]
  /** How many sessions that was, those that could not be read included. */
  readonly read: number
  readonly problem: Failure | null
}

/** An agent that is through with its work, as long as it has no later word. */
export interface EndedAgent {
  readonly source: string
  readonly session_id: string
  readonly agent_id: string
  readonly last_at: number | null
}

/** A session of which there may be nothing but events. */
export interface LogSession extends SessionRef {
  /** What the log knows it by. */
  readonly of: string
  /** How many events it has had, those that retention took included. */
  readonly events: number
}

/** An account that was made while the log had more of its session, and up to which event. */
export interface Counted {
  readonly account: Account
  readonly to: number
}

/** What the thread that reads sessions for what they amounted to can be asked. */
export interface ReviewerCalls {
  /** What is known of a source, instead of what was. */
  know(source: string, accounts: readonly KnownAccount[]): null
  /** Names that are skills, where a command may be one. */
  skills(names: readonly string[]): null
  /** Looks what changed in a source; patiently, what is large and was read just now is left for later. */
  look(source: string, patient: boolean): Looked
  /** Reads the next of what changed; null when all of it was. */
  next(): ReadAccounts | null
  /** These came to their end though their sessions do not say so: what was estimated of them can be compared. They are read again. */
  ended(agents: readonly EndedAgent[]): null
  /** Which of these are made from what a source has, and of the others, which changed. */
  madeOf(sessions: readonly LogSession[]): readonly ('session' | 'log' | 'unchanged')[]
  /** Some events of the one session that is being made from the log, as JSON texts; with the first of them it begins. */
  more(source: string, rows: readonly string[], isFirst: boolean): null
  /** Its account, of all events since the last one. */
  made(session: LogSession, log: CountedLog, before: Counted | null): Account
  forget(sessions: readonly SessionRef[]): null
  close(): null
}
