import type { BackupReply, Failure, RebuildReply, SessionRef, Timeline } from '@panoptes/schema'
import type { Batch, Written } from '../append-queue.ts'
import type { Forgotten } from '../forget-port.ts'
import type {
  AgentQuery,
  At,
  ChangedAgent,
  EventFilter,
  EventPage,
  EventRange,
  Marks,
  Moment,
  ReplayTexts,
  RetentionPolicy,
  SessionQuery,
  StoreInfo,
  TimelineQuery,
} from '../port.ts'
import type { AccountCalls, AccountReads } from './accounts/index.ts'
import type { AchievementReads, AchievementWrites } from './achievement-store.ts'
import type { MarkedReads, MarkedWrites } from './annotations.ts'
import type { ConversationReads } from './conversation-reads.ts'
import type { WindowReads } from './conversation-window.ts'
import type { ConversationWrites, EpochWrites } from './conversations.ts'
import type { ForgetWrites } from './forget.ts'
import type { TemplateUseReads, TemplateUseWrites } from './template-uses.ts'
import type { TurnReads, TurnWrites } from './turns.ts'

/** The calls that the writer thread answers. */
export interface WriterCalls
  extends MarkedWrites,
    AccountCalls,
    AchievementWrites,
    TemplateUseWrites,
    TurnWrites,
    ConversationWrites,
    EpochWrites,
    ForgetWrites {
  open(): {
    readonly first: number
    readonly last: number
    readonly stale: boolean
    readonly forgotten: Forgotten
  }
  /** Returns the results in the order of the batches, and the agents that they changed if somebody watches. */
  append(batches: readonly Batch[]): {
    readonly written: readonly (Written | Failure)[]
    readonly seq: number
    readonly changed: readonly ChangedAgent[]
  }
  /** Later appends return the agents that they change, or no longer. */
  watchAgents(isWatched: boolean): null
  checkWritable(): null
  rebuild(check: boolean): RebuildReply
  retain(policy: RetentionPolicy): number
  redactStored(): number
  close(): null
}

/** The calls that the reader thread answers. */
export interface ReaderCalls
  extends MarkedReads,
    AccountReads,
    AchievementReads,
    TemplateUseReads,
    TurnReads,
    ConversationReads,
    WindowReads {
  forgetting(): readonly SessionRef[]
  open(): null
  read(range: EventRange, filter: EventFilter): EventPage
  counters(): At<unknown>
  agents(query: AgentQuery): At<unknown>
  replayAt(moment: Moment): ReplayTexts
  timeline(query: TimelineQuery): Timeline
  tools(): At<unknown>
  marks(names: readonly string[]): Marks
  aliveCount(): number
  sessions(query: SessionQuery): At<unknown>
  findAgents(ids: readonly string[]): readonly [string, { source: string; session: string }][]
  info(): StoreInfo
  close(): null
}

/**
 * The calls that the keeper thread answers: slow work over the whole file, during which events are still
 * written and read.
 */
export interface KeeperCalls {
  /** Moves the write-ahead log into the file. */
  tidy(): null
  verify(): readonly string[]
  backup(target: string, replace: boolean): BackupReply
  close(): null
}

export type Role = 'writer' | 'reader' | 'keeper'

export interface WorkerSetup {
  readonly role: Role
  readonly file: string
}
