import type { IconName } from '../design/icon.tsx'
import { words } from '../words.ts'

export interface NavItem {
  readonly to: '/' | '/sessions' | '/settings'
  readonly key: string
  readonly icon: IconName
  readonly label: string
  readonly hint: string
}

/** The pages that work, in the order of their keys. */
export const navItems: readonly NavItem[] = [
  { to: '/', key: '1', icon: 'live', label: words.nav.live, hint: words.nav.liveHint },
  { to: '/sessions', key: '2', icon: 'events', label: words.nav.sessions, hint: words.nav.sessionsHint },
  { to: '/settings', key: '3', icon: 'settings', label: words.nav.settings, hint: words.nav.settingsHint },
]
