export type { Job, Work } from './serve.ts'
export { giveWay, type Handlers, orThrow, Refused, serve, stoppedSignal } from './serve.ts'
export { Thread } from './thread.ts'
