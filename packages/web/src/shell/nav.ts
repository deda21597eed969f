import type { IconName } from '../design/icon.tsx'
import { words } from '../words.ts'

export interface NavItem {
  readonly to: '/settings/events' | '/settings'
  readonly key: string
  readonly icon: IconName
  readonly label: string
  readonly hint: string
}

/** The pages that work, in the order of their keys. */
export const navItems: readonly NavItem[] = [
  { to: '/settings/events', key: '1', icon: 'events', label: words.nav.events, hint: words.nav.eventsHint },
  { to: '/settings', key: '2', icon: 'settings', label: words.nav.settings, hint: words.nav.settingsHint },
]
