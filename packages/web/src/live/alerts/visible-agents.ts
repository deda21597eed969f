import { createStore } from '../../store.ts'

/** The keys of the agents on the screen. */
export const inView = createStore<ReadonlySet<string>>(new Set())
