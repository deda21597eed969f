import type { AgentState } from '@panoptes/schema'
import { useMemo } from 'react'
import { pageAgents } from '../live/data/page-agents.ts'
import { useStore } from '../store.ts'
import { liveStates } from './live-states.ts'

export function useLiveStates(): ReadonlyMap<string, AgentState> {
  const { agents } = useStore(pageAgents)
  return useMemo(() => liveStates(agents), [agents])
}
