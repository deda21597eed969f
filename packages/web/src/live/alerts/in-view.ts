import { createStore } from '../../store.ts'

/** The agents that are on the screen now, by key. */
export const inView = createStore<ReadonlySet<string>>(new Set())
