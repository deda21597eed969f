export type { AccountContext as Making } from './account-context.ts'
export { accountOfEvents, foldEvents, type Since } from './events.ts'
export { SessionAccount } from './session.ts'
