import { isAlive } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { sessionsQuery } from '../api/queries.ts'
import { toAgentKey, toSessionKey } from '../live/data/agent-key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { agentName } from '../live/model/names.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import type { PaletteItem } from './palette-items.ts'

/** The list is limited; typing narrows it. */
const MOST = 500

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
