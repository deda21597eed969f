export * from './accounts.ts'
export * from './achievements.ts'
export * from './agent.ts'
export * from './asking.ts'
export * from './chat/index.ts'
export { type Checked, check, type Problem } from './check.ts'
export { type Budget, type Config, config, sizeLimitOf } from './config.ts'
export { type DaemonInfo, daemonInfo } from './daemon.ts'
export {
  costStatus,
  EVENT_KINDS,
  EVENT_VERSION,
  type EventInput,
  type EventKind,
  eventInputOf,
  eventInputs,
  eventKind,
  type FieldsOf,
  isName,
  type NewEvent,
  type Outcome,
  outcome,
  SEED_KINDS,
  type StoredEvent,
  sourceName,
  storedEventOf,
  storedEvents,
  unknownEventInput,
  unknownStoredEvent,
} from './event.ts'
export * from './forward.ts'
export { KNOWN_PROVIDERS, type KnownProvider } from './known-providers.ts'
export * from './ledger.ts'
export * from './marks.ts'
export * from './moa.ts'
export * from './outline.ts'
export * from './past.ts'
export {
  agentOf,
  FOR_OTHERS,
  failedCalls,
  isAlive,
  isChangedBy,
  isKind,
  isPrivate,
  isReminder,
  isVisibleTo,
  saysFailed,
} from './reading.ts'
export type { Recording } from './recording.ts'
export { type Failure, type FailureCode, failure, type Result, type Success, success } from './result.ts'
export * from './servers-of.ts'
export {
  type ContentBlock,
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
export * from './team.ts'
export * from './team-config.ts'
export * from './teller.ts'
export * from './templates.ts'
export { timestamp, timestampInput } from './time.ts'
export { timeZone } from './time-zone.ts'
export * from './transcripts.ts'
export * from './wire.ts'
export { saysUnknownField } from './words.ts'
