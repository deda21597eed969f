import { createStore } from '../store.ts'

/** The window that is open over the page. */
export const overlay = createStore<'palette' | 'keys' | 'more' | null>(null)

export const openPalette = (): void => overlay.set('palette')
export const openKeys = (): void => overlay.set('keys')
export const openMore = (): void => overlay.set('more')
export const closeOverlay = (): void => overlay.set(null)
