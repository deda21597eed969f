import { isAlive } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { sessionsQuery } from '../api/queries.ts'
import { keyOf, sessionKeyOf } from '../live/data/key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { nameOf } from '../live/model/names.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import type { PaletteItem } from './palette-items.ts'

/** More than this nobody reads; typing narrows them. */
const MOST = 500

/** Every agent that is alive, to be found by its name, its project or what it was asked. */
export function useAgentItems(): readonly PaletteItem[] {
  const { agents } = useStore(pageAgents)
  const sessions = useQuery(sessionsQuery).data ?? []
  const navigate = useNavigate()
  const projects = new Map(sessions.map((one) => [sessionKeyOf(one), one.project ?? one.title]))
  return agents
    .filter((agent) => isAlive(agent.state))
    .slice(0, MOST)
    .map((agent) => ({
      id: `agent-${keyOf(agent)}`,
      group: 'agents',
      icon: 'agent',
      title: nameOf(agent),
      hint: [
        projects.get(sessionKeyOf(agent)),
        words.live.states[agent.state],
        agent.prompt_preview?.slice(0, 80),
      ]
        .filter((part) => part)
        .join(' · '),
      run: () => void navigate({ to: '/', search: { agent: keyOf(agent) } }),
    }))
}
