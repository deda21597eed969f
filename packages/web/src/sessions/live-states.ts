import type { Agent, AgentState } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { toSessionKey } from '../live/data/agent-key.ts'

/** The state that most needs a person comes first. */
const ORDER: readonly AgentState[] = ['waiting', 'stuck', 'working']

/** Returns the state of each running session: that of its agent which most needs a person. */
export function liveStates(agents: readonly Agent[]): ReadonlyMap<string, AgentState> {
  const states = new Map<string, AgentState>()
  for (const agent of agents) {
    if (!isAlive(agent.state)) continue
    const key = toSessionKey(agent)
    const before = states.get(key)
    if (before === undefined || ORDER.indexOf(agent.state) < ORDER.indexOf(before))
      states.set(key, agent.state)
  }
  return states
}
