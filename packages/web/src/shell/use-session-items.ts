import type { SessionSummary } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { sessionsQuery } from '../api/queries.ts'
import { sessionKeyOf } from '../live/data/key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { sessionTitle } from '../live/model/names.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import type { PaletteItem } from './palette-items.ts'

/** Sessions seen lately, to be found by title, project or id. One that is over opens at its end. */
export function useSessionItems(): readonly PaletteItem[] {
  const { agents } = useStore(pageAgents)
  const sessions = useQuery(sessionsQuery).data ?? []
  const navigate = useNavigate()
  const alive = new Set(agents.filter((agent) => isAlive(agent.state)).map(sessionKeyOf))
  const now = Date.now()
  return sessions.map((session) => {
    const key = sessionKeyOf(session)
    const runs = alive.has(key)
    return {
      id: `session-${key}`,
      group: 'sessions',
      icon: runs ? 'live' : 'events',
      title: sessionTitle(session),
      hint: hintOf(session),
      end: runs ? words.palette.sessionRuns : words.ago(session.last_at, now),
      run: () =>
        void navigate({ to: '/', search: { session: key, ...(runs ? {} : { at: session.last_at }) } }),
    }
  })
}

const hintOf = ({ title, project, source, session_id }: SessionSummary): string =>
  [title === null ? null : project, source, session_id].filter((part) => part !== null).join(' · ')
