import type { Agent } from '@panoptes/schema'

/** When an agent started waiting or went silent. */
export const waitingSince = (agent: Agent): number =>
  (agent.state === 'stuck' ? agent.doing?.since : agent.wait_since) ?? agent.last_at

/** Waiting agents come first, then stuck ones; the longest first. */
export function needsYou(agents: readonly Agent[]): readonly Agent[] {
  return agents
    .filter((agent) => agent.state === 'waiting' || agent.state === 'stuck')
    .sort((a, b) => rank(a) - rank(b) || waitingSince(a) - waitingSince(b) || (a.id < b.id ? -1 : 1))
}

const rank = (agent: Agent): number => (agent.state === 'waiting' ? 0 : 1)
