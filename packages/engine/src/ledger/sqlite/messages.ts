import type { BackupReply, Failure, RebuildReply, SessionRef, Timeline } from '@panoptes/schema'
import type { Batch, Written } from '../append-queue.ts'
import type { Forgotten } from '../forget-port.ts'
import type {
  AgentQuery,
  At,
  EventFilter,
  EventPage,
  EventRange,
  LedgerInfo,
  Marks,
  Moment,
  ReplayTexts,
  RetentionPolicy,
  SessionQuery,
  TimelineQuery,
} from '../port.ts'
import type { AccountCalls, AccountReads } from './accounts/index.ts'
import type { AchievedReads, AchievedWrites } from './achieved.ts'
import type { EpochWrites } from './chat-epochs.ts'
import type { ConversationReads } from './conversation-reads.ts'
import type { WindowReads } from './conversation-window.ts'
import type { ConversationWrites } from './conversations.ts'
import type { ForgetWrites } from './forget.ts'
import type { MarkedReads, MarkedWrites } from './marked.ts'
import type { TemplatedReads, TemplatedWrites } from './templated.ts'
import type { TurnReads, TurnWrites } from './turns.ts'

/** What the writer's thread can be asked. */
export interface WriterCalls
  extends MarkedWrites,
    AccountCalls,
    AchievedWrites,
    TemplatedWrites,
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
  append(batches: readonly Batch[]): readonly (Written | Failure)[]
  rebuild(check: boolean): RebuildReply
  retain(policy: RetentionPolicy): number
  close(): null
}

/** What the reader's thread can be asked. */
export interface ReaderCalls
  extends MarkedReads,
    AccountReads,
    AchievedReads,
    TemplatedReads,
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
  info(): LedgerInfo
  close(): null
}

/** What the keeper's thread can be asked: slow work over the whole file, beside which events are written and read. */
export interface KeeperCalls {
  /** Moves what is in the log beside the file into the file. */
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
