import type { Work } from '@panoptes/engine/threads'
import type {
  Agent,
  AgentState,
  BackupReply,
  Counters,
  NewEvent,
  RebuildReply,
  Result,
  SessionSummary,
  Timeline,
  ToolStats,
} from '@panoptes/schema'
import type { Accounts } from './accounts-port.ts'
import type { Achieved } from './achieved-port.ts'
import type { Conversations } from './conversations-port.ts'
import type { Forgetting } from './forget-port.ts'
import type { MarkedSessions } from './marked-port.ts'
import type { Templated } from './templated-port.ts'
import type { TraceLines } from './traces-port.ts'
import type { Turns } from './turns-port.ts'

/** What became of one append: every event of it is either new or was known by its key already, as those of forgotten sessions are. */
export interface Appended {
  readonly accepted: number
  readonly duplicates: number
  /** How many of the duplicates are of forgotten sessions, and are not stored for that; absent where none is. */
  readonly forgotten?: number
  /** The ledger's last seq after the append. */
  readonly last: number
}

/**
 * Small notes that commit together with the events they belong to: how far a file was read. A mark without events is
 * stored too.
 */
export type Marks = Readonly<Record<string, string>>

/** A stored event as its JSON text, `seq` included: most readers only pass it on. */
export interface EventRow {
  readonly seq: number
  readonly json: string
}

export interface EventFilter {
  readonly kinds?: readonly string[] | undefined
  readonly source?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  /** Inclusive, milliseconds. */
  readonly since?: number | undefined
  /** Exclusive, milliseconds. */
  readonly until?: number | undefined
  /** Plain text, matched anywhere in the event, without regard to the case of ASCII letters. */
  readonly text?: string | undefined
  /** Only events that say something failed. */
  readonly failed?: boolean | undefined
}

/** `after` reads upwards from a seq (exclusive), `before` downwards (exclusive). */
export type EventRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** A page ends at `limit` rows, or earlier when a bounded number of rows has been looked at. */
export interface EventPage {
  readonly rows: readonly EventRow[]
  /** Where the next page goes on; null when there is no more. */
  readonly next: number | null
}

export interface Head {
  /** The oldest seq still kept; `last + 1` while the log is empty. */
  readonly first: number
  readonly last: number
}

export interface LedgerInfo {
  readonly engine: string
  readonly path: string
  /** What retention by size goes by. Of a file all that is in it, what waits in a log beside it counted once; of a database the log alone. */
  readonly bytes: number
  readonly schemaVersion: number
  readonly head: Head
  /** Of the numbers of the log, those of forgotten events. */
  readonly forgotten: number
  readonly firstTs: number | null
  readonly lastTs: number | null
}

/** What is under way in this process. */
export interface LedgerLoad {
  /** What was taken in and is not stored yet. */
  readonly waiting: { readonly events: number; readonly bytes: number }
  /** Connections to a database: those that are open, those that nobody uses, and who waits for one. Null where the ledger is a file. */
  readonly pool: { readonly open: number; readonly idle: number; readonly waiting: number } | null
}

export interface AgentRef {
  readonly source: string
  readonly session: string
  readonly id?: string | undefined
}

export interface AgentQuery {
  /** Only these; without an id, every agent of the session. */
  readonly of?: readonly AgentRef[] | undefined
  readonly source?: string | undefined
  readonly session?: string | undefined
  readonly states?: readonly AgentState[] | undefined
  readonly limit: number
}

export interface SessionQuery {
  /** Only these; otherwise the newest. */
  readonly of?: readonly Pick<AgentRef, 'source' | 'session'>[] | undefined
  /** Only those of this name, whatever their source. */
  readonly session?: string | undefined
  readonly limit: number
}

/** Projections and the seq they are true for, read in one transaction. */
export interface At<T> {
  readonly seq: number
  readonly value: T
}

/**
 * After a seq: all that was stored up to it. At a time: all that is stamped up to it, in the order it was stored, so that what came
 * late counts from its own time on, and what is stamped ahead not before.
 */
export type Moment = { readonly ts: number } | { readonly seq: number }

/** The agents of a moment and the sessions they are of, each as the JSON text of a list: most readers only pass them on. */
export interface ReplayTexts {
  readonly seq: number
  readonly agents: string
  readonly sessions: string
}

export interface TimelineQuery {
  readonly from: number
  readonly to: number
  readonly slices: number
  readonly session?: string | undefined
}

export interface RetentionPolicy {
  /** Events older than this moment may go, from the oldest seq on; stamps more than a day ahead of now do not hold them back. */
  readonly before?: number | undefined
  /** The oldest events go until `LedgerInfo.bytes` is no more than this. */
  readonly maxBytes?: number | undefined
  /** No event after this seq goes, however old or many they are: somebody still needs them. */
  readonly keepAfter?: number | undefined
}

export type { Work }

/** What only one process at a time does for a ledger, however many have it open. */
export const LEDGER_JOBS = ['judge', 'index', 'scan', 'review', 'limits', 'writer', 'conversations'] as const
export type LedgerJob = (typeof LEDGER_JOBS)[number]

/**
 * The append-only event log and its projections. No method throws: a failure is a value.
 * Any number of callers may append and read at once; of a file they are of one process, of a database of any number.
 */
export interface Ledger {
  /** Stores what is new, in order, together with the projections; a resolved success is durable against a killed process. */
  append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>>
  /** What was last marked under these names. */
  marks(names: readonly string[]): Promise<Result<Marks>>
  head(): Promise<Result<Head>>
  /** A page may be shorter than its limit, of large events above all; `next` says whether there is more. */
  read(range: EventRange, filter?: EventFilter): Promise<Result<EventPage>>
  /**
   * Rows after a seq, for ever, in pages, each row once and in order; it pulls, so a slow reader costs no memory.
   * Ends when the signal aborts or the ledger closes. Where retention has overtaken the reader it goes on at the oldest row.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]>
  /**
   * Where other processes write too: hears that rows are not what they were, and is told how to hear no more. Where a standby that
   * lacks the last events took over it also hears up to where they are; rows after that come anew.
   */
  onTurned?(heard: (back?: number) => void): () => void
  counters(): Promise<Result<At<Counters>>>
  agents(query: AgentQuery): Promise<Result<At<readonly Agent[]>>>
  /** The agents as they were at a moment: alive then, or ended in the minutes before. By checkpoint and delta, never from the start. */
  agentsAt(moment: Moment): Promise<Result<At<readonly Agent[]>>>
  /** The same as texts, with the sessions as they are now. */
  replayAt(moment: Moment): Promise<Result<ReplayTexts>>
  /** What happened in a span, cut into slices: the bars and marks of a timeline. */
  timeline(query: TimelineQuery): Promise<Result<Timeline>>
  /** How long each tool takes, over all agents of a source. */
  tools(): Promise<Result<At<readonly ToolStats[]>>>
  /** How many agents are alive; no row is read for it. */
  aliveCount(): Promise<Result<number>>
  sessions(query: SessionQuery): Promise<Result<At<readonly SessionSummary[]>>>
  /** The sessions in which an agent of this id is known, newest first, by id. */
  findAgents(
    ids: readonly string[],
  ): Promise<Result<ReadonlyMap<string, { source: string; session: string }>>>
  /** What people wrote about sessions. */
  readonly marked: MarkedSessions
  /** What sessions amounted to: agents, skills, claims, money. */
  readonly accounts: Accounts
  /** What achievements stand on. */
  readonly achieved: Achieved
  /** What templates stand on. */
  readonly templated: Templated
  /** What turns of several models took. */
  readonly turns: Turns
  /** Their texts, where they are written down and others share the ledger. Null where it is a file: they are files beside it then. */
  readonly traces: TraceLines | null
  /** What people and runtimes said to each other. */
  readonly conversations: Conversations
  readonly forgetting: Forgetting
  /**
   * Waits until this process is the one that does the job, then runs the work, whose signal aborts when it is not any more, as where its
   * connection is lost. After a loss, and where the work ends by itself, it waits again. Ends when the signal aborts or the ledger closes.
   */
  lead(job: LedgerJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
  info(): Promise<Result<LedgerInfo>>
  load(): LedgerLoad
  /** Computes the projections anew from the log; with `check` it only counts what differs. Appends go on meanwhile. */
  rebuild(options: { readonly check: boolean } & Work): Promise<Result<RebuildReply>>
  /** Drops a prefix of the log; what it amounted to stays as the base of a rebuild. Answers how many events went. */
  retain(policy: RetentionPolicy & Work): Promise<Result<number>>
  /** A consistent copy while appends go on; the file appears whole or not at all, and takes the place of another only with `replace`. */
  backup(
    file: string,
    options?: { readonly replace?: boolean | undefined } & Work,
  ): Promise<Result<BackupReply>>
  /** The slow check of the file itself; answers what it found wrong. */
  verify(): Promise<Result<readonly string[]>>
  close(): Promise<void>
}
