export type { MessageQuery, TranscriptQuery } from './calls.ts'
export { createForgetting, type Forgetter, forgettable, indexForgetter } from './forget.ts'
export { openSessions, type Sessions, type SessionsOptions } from './open.ts'
