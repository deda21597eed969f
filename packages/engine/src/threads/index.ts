export type { Job, Work } from './messages.ts'
export { orThrow, Refused } from './refused.ts'
export { type Handlers, serve } from './serve.ts'
export { Thread } from './thread.ts'
