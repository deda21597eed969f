export {
  type AcpConfig,
  type HermesConfig,
  type JarvisConfig,
  type McpServer,
  toRuntimeId,
} from './config.ts'
export {
  type CheckOptions,
  checkStream,
  type StreamCheck,
  StreamChecker,
  type StreamProblem,
  type StreamRule,
} from './conformance.ts'
export * from './context.ts'
export * from './conversation.ts'
export * from './events.ts'
export { runtimeStateWords } from './runtime-state-words.ts'
export { type SseFrame, SseReader } from './sse.ts'
