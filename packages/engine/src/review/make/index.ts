export type { Making } from './making.ts'
export { accountOfSession, type SessionMaking } from './session.ts'
