import { createStore } from '../../store.ts'

/** The keys of the agents on the screen. */
export const visibleAgents = createStore<ReadonlySet<string>>(new Set())
