import type { PastSession } from '@panoptes/schema'
import { createStore } from '../store.ts'

/** The session that becomes a template. */
export type Origin = Pick<PastSession, 'source' | 'id' | 'title' | 'project'>

/** The open dialog and its session; the dialog asks for a session if there is none. */
export const makeDialog = createStore<{ readonly origin: Origin | null } | null>(null)

export const makeTemplate = (origin: Origin | null = null): void => makeDialog.set({ origin })
export const closeMaking = (): void => makeDialog.set(null)
