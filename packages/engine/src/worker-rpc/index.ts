export { OnDemandThread } from './on-demand-thread.ts'
export type { Job, Work } from './serve.ts'
export { createStopSignal, type Handlers, lowerPriority, orThrow, Refused, serve } from './serve.ts'
export { Thread } from './thread.ts'
