export type {
  AccountFilter,
  AccountFingerprint,
  AccountPage,
  Accounts,
  AccountTotals,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  JournalLine,
  Rows,
  SkillSum,
  SkillUseQuery,
} from './accounts-port.ts'
export type { AchievementStore, ContributionRow, UnlockRow } from './achievement-store-port.ts'
export type { AnnotationQuery, AnnotationStore } from './annotations-port.ts'
export { AppendQueue, type Batch, type Written } from './append-queue.ts'
export type {
  ChatEpoch,
  ConversationChange,
  ConversationMessage,
  ConversationQuery,
  Conversations,
  ConversationWindow,
  ListedConversations,
  NextSummary,
  RemoteCommand,
  SentMessage,
  StoredConversation,
} from './conversations-port.ts'
export { serializeEvent } from './event-line.ts'
export type { Forgetting, Forgotten } from './forget-port.ts'
export { ForgottenSessions } from './forgotten-sessions.ts'
export { keepBeating } from './hubs/heartbeat.ts'
export type { Hub, Hubs, SeenHub } from './hubs/port.ts'
export { openHubs } from './hubs/postgres.ts'
export type {
  FileMark,
  FoundPassages,
  IndexedPassage,
  KnowledgeChange,
  KnowledgeIndex,
} from './knowledge-index/port.ts'
export { openKnowledgeIndex } from './knowledge-index/sqlite.ts'
export { inspectDatabaseAt } from './look/inspect.ts'
export type { DatabaseLook, Look, SpaceLook, TeamLook } from './look/port.ts'
export { moveStore } from './migrate/move.ts'
export { restoreSpace } from './migrate/restore-space.ts'
export { hasData } from './migrate/target.ts'
export { formatPlace, openStore, type StoreLocation, spaceSchema, TEAM_SCHEMA } from './open-store.ts'
export type { Originals } from './originals/manifest.ts'
export {
  type CurrentFiles,
  OriginalStore,
  type OriginalsSummary,
  summarizeOriginals,
} from './originals/original-store.ts'
export { type PlannedFile, planRestore, restoreOriginals } from './originals/restore.ts'
export type {
  AgentChanges,
  AgentQuery,
  AgentRef,
  Appended,
  At,
  ChangedAgent,
  EventFilter,
  EventPage,
  EventRange,
  EventRow,
  EventStore,
  Head,
  Marks,
  Moment,
  RetentionPolicy,
  StoreInfo,
  StoreJob,
  TimelineQuery,
  Work,
} from './port.ts'
export { RecentRows } from './recent-rows.ts'
export { ChunkBuilder } from './session-archive/chunk-codec.ts'
export type {
  ArchiveChunk,
  ArchiveCount,
  ArchivedSession,
  ArchiveLimits,
  ArchivePage,
  ArchiveRecord,
  ArchiveSize,
  SessionArchive,
} from './session-archive/port.ts'
export type { ForgottenCounts } from './session-index/forget.ts'
export { openSessionIndex } from './session-index/open-index.ts'
export type {
  FoldedSession,
  FoldRow,
  Hit,
  IndexBatch,
  IndexChange,
  IndexedMessage,
  RecallQuery,
  SearchQuery,
  SessionFilter,
  SessionIndex,
  SessionListQuery,
  SessionWork,
  WeighedWord,
} from './session-index/port.ts'
export { indexText, significantWords } from './session-index/query-parser.ts'
export { createScorer, type WordPlace } from './session-index/score.ts'
export { openSqliteIndex } from './session-index/sqlite.ts'
export { addSpent, spend } from './session-index/usage-sums.ts'
export { lockStore } from './sqlite/lock.ts'
export { writerSettings } from './sqlite/open-file.ts'
export { type Rescued, type RescuedTable, rescueStore } from './sqlite/rescue/rescue.ts'
export { openSqliteStore } from './sqlite/sqlite-store.ts'
export { verifyStoreFile } from './sqlite/verify-file.ts'
export { storeIdReader } from './store-id.ts'
export type {
  AuditNote,
  AuditQuery,
  MadeToken,
  Team,
  TokenRequest,
  Unknown,
  UserChange,
  UserRequest,
} from './team/port.ts'
export { dropSpace, type SpaceHolds, spaceHolds } from './team/postgres/spaces.ts'
export { openTeam } from './team/postgres/team.ts'
export type {
  InjectionQuery,
  InjectionRow,
  SharedTexts,
  TemplateNoteRow,
  TemplateUses,
} from './template-uses-port.ts'
export type { TraceBounds, TraceLine, TraceLines } from './traces-port.ts'
export { conversationRowsIn } from './transcripts/conversations.ts'
export { openTranscripts, transcriptsIn } from './transcripts/open.ts'
export type {
  StoredTranscript,
  TranscriptPage,
  TranscriptRecord,
  Transcripts,
} from './transcripts/port.ts'
export type { TurnQuery, Turns } from './turns-port.ts'
export { Wakeups } from './wakeups.ts'
