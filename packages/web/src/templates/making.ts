import type { PastSession } from '@panoptes/schema'
import { createStore } from '../store.ts'

/** The session that a template is to be made of. */
export type Origin = Pick<PastSession, 'source' | 'id' | 'title' | 'project'>

/** Whether someone makes a template, and of which session; that is chosen first where none is named. */
export const making = createStore<{ readonly origin: Origin | null } | null>(null)

export const makeTemplate = (origin: Origin | null = null): void => making.set({ origin })
export const closeMaking = (): void => making.set(null)
