export type { MessageQuery, TranscriptQuery } from './calls.ts'
export { openSessions, type Sessions, type SessionsOptions } from './open.ts'
