export type { Transcript, TranscriptQuery } from './calls.ts'
export { type IndexStatus, openSessions, type Sessions, type SessionsOptions } from './open.ts'
export type { Found } from './search.ts'
