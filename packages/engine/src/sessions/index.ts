export type { TranscriptQuery } from './calls.ts'
export { openSessions, type Sessions, type SessionsOptions } from './open.ts'
