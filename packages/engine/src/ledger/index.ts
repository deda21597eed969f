export type {
  AccountFilter,
  AccountPage,
  Accounts,
  AccountTotals,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  JournalLine,
  KnownAccount,
  Rows,
  SkillSum,
  SkillUseQuery,
} from './accounts-port.ts'
export type { Achieved, ContributionRow, UnlockRow } from './achieved-port.ts'
export { AppendQueue, type Batch, type Written } from './append-queue.ts'
export type {
  ChatEpoch,
  ConversationChange,
  ConversationQuery,
  Conversations,
  ConversationWindow,
  KeptConversation,
  ListedConversations,
  NextSummary,
  RunWish,
  SaidMessage,
  SentMessage,
} from './conversations-port.ts'
export type { Forgetting, Forgotten } from './forget-port.ts'
export { ForgottenSessions } from './forgotten-sessions.ts'
export { keepBeating } from './hubs/beating.ts'
export type { Hub, Hubs, SeenHub } from './hubs/port.ts'
export { openHubs } from './hubs/postgres.ts'
export type {
  FileMark,
  FoundPassages,
  KeptPassage,
  KnowledgeChange,
  KnowledgeIndex,
} from './knowledge-index/port.ts'
export { openKnowledgeIndex } from './knowledge-index/sqlite.ts'
export { lineOf } from './line.ts'
export { lookAt } from './look/look.ts'
export type { DatabaseLook, Look, SpaceLook, TeamLook } from './look/port.ts'
export type { MarkedQuery, MarkedSessions } from './marked-port.ts'
export { moveLedger } from './migrate/move.ts'
export { restoreSpace } from './migrate/restore-space.ts'
export { hasData } from './migrate/target.ts'
export { type LedgerPlace, openLedger, schemaOf, shownPlace, TEAM_SCHEMA } from './place.ts'
export type {
  AgentQuery,
  AgentRef,
  Appended,
  At,
  EventFilter,
  EventPage,
  EventRange,
  EventRow,
  Head,
  Ledger,
  LedgerInfo,
  LedgerJob,
  Marks,
  Moment,
  RetentionPolicy,
  TimelineQuery,
  Work,
} from './port.ts'
export { RecentRows } from './recent-rows.ts'
export type { ForgottenCounts } from './session-index/forget.ts'
export { openSessionIndex } from './session-index/place.ts'
export type {
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
export { scorerOf, type WordPlace } from './session-index/score.ts'
export { addSpent, spend } from './session-index/spent.ts'
export { openSqliteIndex } from './session-index/sqlite.ts'
export { indexText } from './session-index/words.ts'
export { openSqliteLedger } from './sqlite/ledger.ts'
export { lockLedger } from './sqlite/lock-ledger.ts'
export { writerSettings } from './sqlite/open-file.ts'
export { storeOf } from './store-of.ts'
export type {
  AuditNote,
  AuditQuery,
  MadeToken,
  Team,
  TokenWish,
  Unknown,
  UserChange,
  UserWish,
} from './team/port.ts'
export { dropSpace, type SpaceHolds, spaceHolds } from './team/postgres/spaces.ts'
export { openTeam } from './team/postgres/team.ts'
export type {
  InjectionQuery,
  InjectionRow,
  SharedTexts,
  Templated,
  TemplateNoteRow,
} from './templated-port.ts'
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
export { Wakers } from './wakers.ts'
