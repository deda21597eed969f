import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { conflictsQuery, sessionsQuery, toolsQuery } from '../api/queries.ts'
import { useStore } from '../store.ts'
import { toSessionKey } from './data/agent-key.ts'
import { pageAgents } from './data/page-agents.ts'
import type { Scene } from './data/source.ts'
import type { PastFrame } from './scrubber/use-past.ts'

const SLOWLY = 5_000

/** The current scene: the live stream, or the frame of a past moment. */
export function useScene(at: number | null, past: PastFrame): Scene {
  const { agents } = useStore(pageAgents)
  const sessions = useQuery({ ...sessionsQuery, refetchInterval: 4 * SLOWLY }).data
  const tools = useQuery({ ...toolsQuery, refetchInterval: SLOWLY }).data
  const conflicts = useQuery({ ...conflictsQuery, refetchInterval: SLOWLY }).data
  useNewSessions(agents, sessions)
  const { frame } = past
  return useMemo((): Scene => {
    if (at !== null && frame !== null)
      return {
        at: frame.at,
        agents: frame.agents,
        sessions: frame.sessions,
        tools: tools ?? [],
        conflicts: [],
      }
    return { at: null, agents, sessions: sessions ?? [], tools: tools ?? [], conflicts: conflicts ?? [] }
  }, [at, frame, agents, sessions, tools, conflicts])
}

/** A session missing from the stream is fetched. */
function useNewSessions(
  agents: readonly { readonly source: string; readonly session_id: string }[],
  sessions: readonly { readonly source: string; readonly session_id: string }[] | undefined,
) {
  const client = useQueryClient()
  const unknown = useMemo(() => {
    if (!sessions) return 0
    const sessionKeys = new Set(sessions.map(toSessionKey))
    return new Set(agents.map(toSessionKey).filter((key) => !sessionKeys.has(key))).size
  }, [agents, sessions])
  useEffect(() => {
    if (unknown > 0) void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }, [client, unknown])
}
