export { type Capture, type Captured, type CaptureOptions, createCapture, type Store } from './capture.ts'
export {
  createClaudeCodeHooks,
  PERMISSION_REQUEST,
  parseQuestions,
  QUESTION_TOOL,
  type Questions,
} from './claude-code/index.ts'
export { forgetLines, forgetPayloads, holdMark } from './forget.ts'
export { followHermes } from './hermes/follow-state.ts'
export { type ChildSession, createHermesHooks, recentChildren } from './hermes/read.ts'
export type { HookEvent, HookReader } from './hook.ts'
export type { Intake } from './intake.ts'
export { withAfterwards } from './intake.ts'
export { createOtlp, type Otlp } from './otlp/otlp.ts'
export { readRecentEvents } from './recent-events.ts'
export { UNKNOWN_SESSION } from './session-finder.ts'
export { createSpool, SPOOL_MARK, type Spool, type SpoolHealth } from './spool/spool.ts'
export { createTail, type Tail, type TailHealth } from './tail/tail.ts'
export { createTranscripts } from './transcripts/index.ts'
