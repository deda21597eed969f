export { followHermes } from './follow-state.ts'
export { type ChildSession, createHermesHooks } from './read.ts'
export { recentChildren } from './stored-subagents.ts'
