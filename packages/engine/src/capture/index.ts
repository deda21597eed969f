export { type Capture, type Captured, type CaptureOptions, createCapture } from './capture.ts'
export { claudeCodeHooks } from './claude-code/index.ts'
export type { HookEvent, HookReader } from './hook.ts'
export { UNKNOWN_SESSION } from './sessions.ts'
