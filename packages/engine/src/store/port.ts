import type { Work } from '@panoptes/engine/worker-rpc'
import type {
  Agent,
  AgentIdentity,
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
import type { AchievementStore } from './achievement-store-port.ts'
import type { AnnotationStore } from './annotations-port.ts'
import type { Conversations } from './conversations-port.ts'
import type { Forgetting } from './forget-port.ts'
import type { TemplateUses } from './template-uses-port.ts'
import type { TraceLines } from './traces-port.ts'
import type { Turns } from './turns-port.ts'

/**
 * The result of one append. Every event is either new or a duplicate; events of forgotten sessions count as
 * duplicates.
 */
export interface Appended {
  readonly accepted: number
  readonly duplicates: number
  /**
   * Counts the duplicates that belong to forgotten sessions and are not stored for that reason. It is absent
   * when there are none.
   */
  readonly forgotten?: number
  /** The store's last seq after the append. */
  readonly last: number
}

/**
 * Small notes that commit together with the events they belong to, for example how far a file was read. A
 * mark without events is stored too.
 */
export type Marks = Readonly<Record<string, string>>

/** A stored event as its JSON text, `seq` included, because most readers only pass it on. */
export interface EventRow {
  readonly seq: number
  readonly json: string
}

export interface EventFilter {
  readonly kinds?: readonly string[] | undefined
  readonly source?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  /** The time is inclusive, in milliseconds. */
  readonly since?: number | undefined
  /** The time is exclusive, in milliseconds. */
  readonly until?: number | undefined
  /** Plain text that matches anywhere in the event. ASCII letters match regardless of case. */
  readonly text?: string | undefined
  /** This selects only events that report a failure. */
  readonly failed?: boolean | undefined
}

/** `after` reads upwards from a seq, `before` downwards. Both exclude the seq itself. */
export type EventRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** A page ends at `limit` rows, or earlier once it has examined a bounded number of rows. */
export interface EventPage {
  readonly rows: readonly EventRow[]
  /** The next page continues here. It is null when there are no more rows. */
  readonly next: number | null
}

export interface Head {
  /** The oldest seq that is still stored, or `last + 1` while the log is empty. */
  readonly first: number
  readonly last: number
}

export interface StoreInfo {
  readonly engine: string
  readonly path: string
  /**
   * The size that retention compares with its limit. For a file it covers everything in it and counts the
   * data in the write-ahead log once; for a database it covers the log alone.
   */
  readonly bytes: number
  readonly schemaVersion: number
  readonly head: Head
  /** Counts the events of the log. The range of seqs is longer if events were forgotten or lost. */
  readonly events: number
  /**
   * Counts the seqs of the log that belong to forgotten events, or to events that a rescue could not read.
   */
  readonly forgotten: number
  readonly firstTs: number | null
  readonly lastTs: number | null
}

/** The current work of this process. */
export interface StoreLoad {
  /** Counts what was accepted and is not stored yet. */
  readonly waiting: { readonly events: number; readonly bytes: number }
  /**
   * Connections to a database: how many are open, how many of those are idle, and how many callers wait for
   * one. It is null when the store is a file.
   */
  readonly pool: { readonly open: number; readonly idle: number; readonly waiting: number } | null
}

export interface AgentRef {
  readonly source: string
  readonly session: string
  readonly id?: string | undefined
}

export interface AgentQuery {
  /** This selects only these agents. A reference without an id selects every agent of the session. */
  readonly of?: readonly AgentRef[] | undefined
  readonly source?: string | undefined
  readonly session?: string | undefined
  readonly states?: readonly AgentState[] | undefined
  readonly limit: number
}

export interface SessionQuery {
  /** This selects only these sessions. Without it, the newest sessions are returned. */
  readonly of?: readonly Pick<AgentRef, 'source' | 'session'>[] | undefined
  /** This selects only sessions with this id, whatever their source. */
  readonly session?: string | undefined
  readonly limit: number
}

/** An agent as a commit left it. */
export interface ChangedAgent extends AgentIdentity {
  /**
   * The agent as JSON text, or null if it no longer exists. It is absent if the commit changed more text than
   * the store hands over at once; then `agents` returns it.
   */
  readonly json?: string | null
}

/** The agents that one commit changed, and the store's last seq after it. */
export interface AgentChanges {
  readonly seq: number
  readonly agents: readonly ChangedAgent[]
}

/** Projections and the seq they are true for, read in one transaction. */
export interface At<T> {
  readonly seq: number
  readonly value: T
}

/**
 * A seq selects everything that was stored up to it. A time selects everything stamped up to it, in the order
 * it was stored. So a late event counts from its own time on, and an event stamped ahead does not count
 * before its time.
 */
export type Moment = { readonly ts: number } | { readonly seq: number }

/**
 * The agents at a past time and their sessions, each as the JSON text of a list, because most readers only
 * pass them on.
 */
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
  /**
   * Events older than this may be dropped, starting with the oldest seq. Timestamps more than a day in the
   * future do not hold them back.
   */
  readonly before?: number | undefined
  /** The oldest events are dropped until the size in `bytes` is at most this. */
  readonly maxBytes?: number | undefined
  /** No event after this seq is dropped, however old or large, because a reader still needs it. */
  readonly keepAfter?: number | undefined
}

export type { Work }

/** Jobs that only one process at a time does for a store, however many processes have it open. */
export const STORE_JOBS = ['judge', 'index', 'limits', 'writer', 'conversations'] as const
export type StoreJob = (typeof STORE_JOBS)[number]

/**
 * The append-only event log and its projections. No method throws: a failure is a value. Any number of
 * callers may append and read at once; a file serves callers of one process, a database callers of any number
 * of processes.
 */
export interface EventStore {
  /**
   * Stores new events in order, together with the projections. A resolved success survives a killed process.
   */
  append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>>
  /** Returns the values last stored under these names. */
  marks(names: readonly string[]): Promise<Result<Marks>>
  head(): Promise<Result<Head>>
  /**
   * Checks whether an append would be stored now. If not, it returns the failure that the append would have.
   */
  checkWritable(): Promise<Result<null>>
  /**
   * A page may be shorter than its limit, especially when events are large. `next` tells whether there are
   * more rows.
   */
  read(range: EventRange, filter?: EventFilter): Promise<Result<EventPage>>
  /**
   * Yields rows after a seq in pages, without an end, each row once and in order. It pulls, so a slow reader
   * costs no memory. It returns when the signal aborts or the store closes. If retention has overtaken the
   * reader, it continues at the oldest row.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]>
  /**
   * Registers a callback for a store that other processes write to as well; it runs when stored rows may have
   * changed. Returns the function that unsubscribes. If a standby that lacks the newest events took over, the
   * callback also receives the seq up to which events remain; later rows are delivered anew.
   */
  onTurned?(heard: (back?: number) => void): () => void
  /**
   * Tells such a store about a row that the caller got elsewhere, such as from the bus. If a standby that lacks
   * the row takes over before the store has read it, the store notices that, too.
   */
  noteRow?(row: EventRow): void
  /**
   * Registers a callback that receives the agents that each commit changed, in the order of the commits and
   * before their appends are answered. Returns the function that unsubscribes. A store that other processes
   * write to as well does not have it, because it does not know their changes.
   */
  onAgentsChanged?(listener: (changes: AgentChanges) => void): () => void
  counters(): Promise<Result<At<Counters>>>
  agents(query: AgentQuery): Promise<Result<At<readonly Agent[]>>>
  /**
   * Returns the agents at a past time: alive then, or ended in the minutes before. It reads a checkpoint and
   * the events after it, never the whole log.
   */
  agentsAt(moment: Moment): Promise<Result<At<readonly Agent[]>>>
  /** Returns the same as text, with the sessions as they are now. */
  replayAt(moment: Moment): Promise<Result<ReplayTexts>>
  /** Returns what happened in a span, cut into slices: the bars and marks of a timeline. */
  timeline(query: TimelineQuery): Promise<Result<Timeline>>
  /** Returns how long each tool takes, over all agents of a source. */
  tools(): Promise<Result<At<readonly ToolStats[]>>>
  /** Returns how many agents are alive, without reading a row. */
  aliveCount(): Promise<Result<number>>
  sessions(query: SessionQuery): Promise<Result<At<readonly SessionSummary[]>>>
  /** Finds the sessions that contain an agent with this id, newest first. */
  findAgents(
    ids: readonly string[],
  ): Promise<Result<ReadonlyMap<string, { source: string; session: string }>>>
  /** Stores what people wrote about sessions. */
  readonly annotations: AnnotationStore
  /** The outcomes of sessions: agents, skills, claims and costs. */
  readonly accounts: Accounts
  /** The data behind achievements. */
  readonly achievementStore: AchievementStore
  /** The data behind templates. */
  readonly templateUses: TemplateUses
  /** Stores what turns of several models took. */
  readonly turns: Turns
  /**
   * The texts of turns, when they are recorded and other processes share the store. It is null for a SQLite
   * store, which keeps the texts in files beside it.
   */
  readonly traces: TraceLines | null
  /** Conversations between people and runtimes. */
  readonly conversations: Conversations
  readonly forgetting: Forgetting
  /**
   * Waits until this process leads the job, then runs the work. The signal of the work aborts when the
   * process no longer leads, for example because it lost its connection. After that, or when the work ends on
   * its own, it waits again. It resolves when the signal aborts or the store closes.
   */
  lead(job: StoreJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
  info(): Promise<Result<StoreInfo>>
  load(): StoreLoad
  /**
   * Computes the projections anew from the log. With `check` it only counts differences. Appends continue
   * meanwhile.
   */
  rebuild(options: { readonly check: boolean } & Work): Promise<Result<RebuildReply>>
  /**
   * Drops a prefix of the log and keeps its folded state as the base of a rebuild. Returns how many events
   * were dropped.
   */
  retain(policy: RetentionPolicy & Work): Promise<Result<number>>
  /**
   * Removes secrets that older redaction rules missed from everything stored, including from the file itself,
   * and returns how many rows changed. After it was stopped or killed it resumes and counts the earlier rows
   * too. When the current rules already ran to the end, it does nothing.
   */
  redactStored(work?: Work): Promise<Result<number>>
  /**
   * Makes a consistent copy while appends continue. The file appears complete or not at all, and replaces an
   * existing file only with `replace`.
   */
  backup(
    file: string,
    options?: { readonly replace?: boolean | undefined } & Work,
  ): Promise<Result<BackupReply>>
  /** Runs the slow check of the file itself and returns the errors it found. */
  verify(): Promise<Result<readonly string[]>>
  close(): Promise<void>
}
