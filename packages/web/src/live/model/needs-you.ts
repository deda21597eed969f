import type { Agent } from '@panoptes/schema'

/** Since when an agent has been waiting or silent. */
export const sinceOf = (agent: Agent): number =>
  (agent.state === 'stuck' ? agent.doing?.since : agent.wait_since) ?? agent.last_at

/** Agents that wait come first, then those that look stuck; the longest first. */
export function needsYou(agents: readonly Agent[]): readonly Agent[] {
  return agents
    .filter((agent) => agent.state === 'waiting' || agent.state === 'stuck')
    .sort((a, b) => rank(a) - rank(b) || sinceOf(a) - sinceOf(b) || (a.id < b.id ? -1 : 1))
}

const rank = (agent: Agent): number => (agent.state === 'waiting' ? 0 : 1)
