export * from './accounts.ts'
export * from './achievements.ts'
export * from './agent.ts'
export * from './agent.ts'
export * from './annotations.ts'
export * from './api.ts'
export * from './chat/index.ts'
export { type Checked, check, isUnknownField, type Problem } from './check.ts'
export { type Budget, type Config, config, maxLogBytes } from './config.ts'
export {
  costStatus,
  EVENT_KINDS,
  EVENT_VERSION,
  type EventInput,
  type EventKind,
  eventInputSchema,
  eventInputs,
  eventKind,
  type FieldsOf,
  isName,
  type NewEvent,
  type Outcome,
  outcome,
  SEED_KINDS,
  type Shipped,
  type StoredEvent,
  shipped,
  sourceName,
  storedEventSchema,
  storedEvents,
  unknownEventInput,
  unknownStoredEvent,
} from './event.ts'
export {
  countFailedCalls,
  FOR_OTHERS,
  isAlive,
  isChangedBy,
  isKind,
  isPrivate,
  isReminder,
  isVisibleTo,
  readAgentId,
  reportsFailure,
} from './event-accessors.ts'
export * from './forward.ts'
export * from './hooks.ts'
export * from './ledger.ts'
export * from './moa.ts'
export * from './past-sessions.ts'
export * from './past-sessions.ts'
export { BUILT_IN_PROVIDERS, type BuiltInProvider } from './providers.ts'
export type { Recording } from './recording.ts'
export { type Failure, type FailureCode, failure, type Result, type Success, success } from './result.ts'
export { retentionText, savedSessionsText } from './saved-sessions.ts'
export {
  type ClientSpending,
  type ContentBlock,
  clientSpending,
  contentBlock,
  type Message,
  message,
  type Session,
  type SessionAgent,
  type SessionSummary,
  session,
  sessionAgent,
  sessionSummary,
  type TokenUsage,
  tokenUsage,
} from './session.ts'
export * from './status.ts'
export { type DaemonInfo, daemonInfo } from './status.ts'
export * from './team.ts'
export * from './team-config.ts'
export * from './team-config.ts'
export * from './templates.ts'
export { timestamp, timestampInput, timeZone } from './time.ts'
export * from './transcripts.ts'
export * from './uploader-id.ts'
