export { accountOfEvents, foldEvents, type Since } from './events.ts'
export type { Making } from './making.ts'
export { accountOfSession } from './session.ts'
