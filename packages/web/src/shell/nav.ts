import type { IconName } from '../design/icon.tsx'
import { words } from '../words.ts'

export interface NavItem {
  readonly to: '/' | '/sessions' | '/achievements' | '/templates' | '/ledger' | '/moa' | '/chat' | '/settings'
  readonly key: string
  readonly icon: IconName
  readonly label: string
  readonly hint: string
  /** Whether it is under More on a phone. */
  readonly more?: true
  /** Whether it comes last in the navigation bar of a phone. */
  readonly late?: true
}

/** All pages in the order of their keys. */
export const navItems: readonly NavItem[] = [
  { to: '/', key: '1', icon: 'live', label: words.nav.live, hint: words.nav.liveHint },
  { to: '/sessions', key: '2', icon: 'events', label: words.nav.sessions, hint: words.nav.sessionsHint },
  {
    to: '/achievements',
    key: '3',
    icon: 'badge',
    label: words.nav.achievements,
    hint: words.nav.achievementsHint,
    more: true,
  },
  {
    to: '/templates',
    key: '4',
    icon: 'layers',
    label: words.nav.templates,
    hint: words.nav.templatesHint,
    more: true,
  },
  {
    to: '/ledger',
    key: '5',
    icon: 'ledger',
    label: words.nav.ledger,
    hint: words.nav.ledgerHint,
    late: true,
  },
  { to: '/moa', key: '6', icon: 'fan', label: words.nav.moa, hint: words.nav.moaHint, more: true },
  { to: '/chat', key: '7', icon: 'chat', label: words.nav.chat, hint: words.nav.chatHint },
  {
    to: '/settings',
    key: '8',
    icon: 'settings',
    label: words.nav.settings,
    hint: words.nav.settingsHint,
    more: true,
  },
]
