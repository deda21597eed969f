import type { Agent, AgentState } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { sessionKeyOf } from '../live/data/key.ts'

/** What needs someone goes before what does not. */
const ORDER: readonly AgentState[] = ['waiting', 'stuck', 'working']

/** How the sessions are that run now: as their agent is that most needs someone. */
export function liveStates(agents: readonly Agent[]): ReadonlyMap<string, AgentState> {
  const states = new Map<string, AgentState>()
  for (const agent of agents) {
    if (!isAlive(agent.state)) continue
    const key = sessionKeyOf(agent)
    const before = states.get(key)
    if (before === undefined || ORDER.indexOf(agent.state) < ORDER.indexOf(before))
      states.set(key, agent.state)
  }
  return states
}
