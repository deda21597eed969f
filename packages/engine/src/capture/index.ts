export { withAfterwards } from './afterwards.ts'
export { type Capture, type Captured, type CaptureOptions, createCapture, type Store } from './capture.ts'
export {
  createClaudeCodeHooks,
  DENIED_ON_PAGE,
  PERMISSION_REQUEST,
  QUESTION_TOOL,
  type Questions,
  questionsOf,
} from './claude-code/index.ts'
export { forgetLines, forgetPayloads, holdMark } from './forget.ts'
export {
  createHermesHooks,
  followHermes,
  type KnownChild,
  knownChildren,
} from './hermes/index.ts'
export type { HookEvent, HookReader } from './hook.ts'
export type { Intake } from './intake.ts'
export { knownEvents } from './known-events.ts'
export { createOtlp, type Otlp } from './otlp/index.ts'
export { UNKNOWN_SESSION } from './sessions.ts'
export { createSpool, SPOOL_MARK, type Spool, type SpoolHealth } from './spool/index.ts'
export { createTail, type Tail, type TailHealth } from './tail/index.ts'
export { createTranscripts } from './transcripts/index.ts'
