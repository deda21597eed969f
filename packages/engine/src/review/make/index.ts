export { accountOfEvents, type EventsMaking } from './events.ts'
export type { Making } from './making.ts'
export { accountOfSession, type SessionMaking } from './session.ts'
