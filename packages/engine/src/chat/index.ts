export type { Chat, Streamed } from './chat.ts'
export { type ContextParts, contextBuilder } from './context/build.ts'
export { openChat } from './open.ts'
export type { RuntimeAdapter } from './runtimes/port.ts'
