import { isAlive } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { rescan } from '../achievements/queries.ts'
import { useMe } from '../api/me.ts'
import { sessionsQuery } from '../api/queries.ts'
import { copyText } from '../design/copy-button.tsx'
import { TABS } from '../ledger/search-params.ts'
import { toAgentKey, toSessionKey } from '../live/data/agent-key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { agentName } from '../live/model/names.ts'
import { visibleSections } from '../settings/sections.ts'
import { backupWork, checkHealth, checkWork } from '../settings/work.ts'
import { useStore } from '../store.ts'
import { makeTemplate } from '../templates/make-dialog-state.ts'
import { words } from '../words.ts'
import { navItems } from './nav.ts'
import { openKeys } from './overlays.ts'
import { isOffered, type PaletteItem } from './palette-items.ts'
import { chooseTheme, otherTheme } from './theme.ts'

const w = words.palette
/** The list is limited; typing narrows it. */
const MOST = 500

/** All items of the palette except events. */
export function usePaletteItems(): readonly PaletteItem[] {
  const navigate = useNavigate()
  const me = useMe()
  const isTeam = me !== null
  const toSection = (hash: string) => void navigate({ to: '/settings', hash })
  const items: readonly PaletteItem[] = [
    ...navItems.map(
      (page): PaletteItem => ({
        id: `page-${page.key}`,
        group: 'goTo',
        icon: page.icon,
        title: page.label,
        hint: page.hint,
        key: page.key,
        run: () => void navigate({ to: page.to }),
      }),
    ),
    ...TABS.filter((tab) => tab !== 'overview').map(
      (tab): PaletteItem => ({
        id: `ledger-${tab}`,
        group: 'goTo',
        icon: 'ledger',
        title: w.ledgerTab(words.ledger.tabs[tab]),
        hint: words.ledger.tabHints[tab],
        run: () => void navigate({ to: '/ledger', search: { tab } }),
      }),
    ),
    ...visibleSections(isTeam).map(
      (section): PaletteItem => ({
        id: `section-${section.id}`,
        group: 'goTo',
        icon: 'settings',
        title: w.section(section.title),
        hint: section.hint,
        run: () => toSection(section.id),
      }),
    ),
    {
      id: 'failed',
      group: 'do',
      icon: 'events',
      title: w.onlyFailed,
      hint: w.onlyFailedHint,
      run: () => void navigate({ to: '/settings/events', search: { failed: true } }),
    },
    {
      id: 'rescan',
      group: 'do',
      icon: 'badge',
      title: words.achievements.palette.rescan,
      hint: words.achievements.palette.rescanHint,
      run: () => {
        void navigate({ to: '/achievements' })
        // The Achievements page reports the failure.
        void rescan('all', false).catch(() => undefined)
      },
    },
    {
      id: 'template',
      group: 'do',
      icon: 'layers',
      title: words.templates.palette.make,
      hint: words.templates.palette.makeHint,
      run: () => makeTemplate(),
    },
    {
      id: 'preset',
      group: 'do',
      icon: 'fan',
      title: words.moa.palette.make,
      hint: words.moa.palette.makeHint,
      run: () => void navigate({ to: '/moa', search: { tab: 'presets', make: true } }),
    },
    {
      id: 'conversation',
      group: 'do',
      icon: 'chat',
      title: words.chat.palette.fresh,
      hint: words.chat.palette.freshHint,
      run: () => void navigate({ to: '/chat', search: { new: true } }),
    },
    {
      id: 'backup',
      group: 'do',
      icon: 'download',
      title: w.backup,
      hint: w.backupHint,
      run: () => {
        toSection('storage')
        void backupWork.start()
      },
    },
    {
      id: 'check',
      group: 'do',
      icon: 'rotate',
      title: w.check,
      hint: w.checkHint,
      run: () => {
        toSection('storage')
        void checkWork.start()
      },
    },
    {
      id: 'health',
      group: 'do',
      icon: 'pulse',
      title: w.health,
      hint: w.healthHint,
      run: () => {
        toSection('health')
        void checkHealth()
      },
    },
    {
      id: 'address',
      group: 'do',
      icon: 'copy',
      title: w.address,
      hint: location.origin,
      run: () => void copyText(location.origin, words.actions.copied),
    },
    {
      id: 'theme',
      group: 'do',
      icon: otherTheme() === 'light' ? 'sun' : 'moon',
      title: w.themeTo(otherTheme()),
      hint: w.themeHint,
      run: () => chooseTheme(otherTheme()),
    },
    { id: 'keys', group: 'do', icon: 'keys', title: w.keys, hint: '', key: '?', run: openKeys },
  ]
  return items.filter(({ id }) => isOffered(id, me))
}

/** All alive agents, searchable by name, project or prompt. */
export function useAgentItems(): readonly PaletteItem[] {
  const { agents } = useStore(pageAgents)
  const sessions = useQuery(sessionsQuery).data ?? []
  const navigate = useNavigate()
  const projects = new Map(sessions.map((one) => [toSessionKey(one), one.project ?? one.title]))
  return agents
    .filter((agent) => isAlive(agent.state))
    .slice(0, MOST)
    .map((agent) => ({
      id: `agent-${toAgentKey(agent)}`,
      group: 'agents',
      icon: 'agent',
      title: agentName(agent),
      hint: [
        projects.get(toSessionKey(agent)),
        words.live.states[agent.state],
        agent.prompt_preview?.slice(0, 80),
      ]
        .filter((part) => part)
        .join(' · '),
      run: () => void navigate({ to: '/', search: { agent: toAgentKey(agent) } }),
    }))
}
