export { followHermes } from './follow-state.ts'
export { knownChildren } from './known-children.ts'
export { createHermesHooks, type KnownChild } from './read.ts'
