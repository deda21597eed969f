import type { OutlinedAgent } from '@panoptes/schema'
import { MAIN } from './thread.ts'

/** Agents without a known call, by the one they are under: their maker where it leads to the session's own, else that. */
export function looseAgents(agents: readonly OutlinedAgent[]): ReadonlyMap<string, readonly OutlinedAgent[]> {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const loose = new Map<string, OutlinedAgent[]>()
  for (const agent of agents) {
    if (agent.id === MAIN || agent.made_at !== null || agent.first === null) continue
    const above = leadsToMain(agent, byId) ? (agent.parent_id ?? MAIN) : MAIN
    loose.set(above, [...(loose.get(above) ?? []), agent])
  }
  return loose
}

function leadsToMain(agent: OutlinedAgent, byId: ReadonlyMap<string, OutlinedAgent>): boolean {
  const met = new Set([agent.id])
  for (let id = agent.parent_id; id !== MAIN; id = byId.get(id)?.parent_id ?? null) {
    if (id === null || met.has(id) || !byId.has(id)) return false
    met.add(id)
  }
  return true
}

/** The agents a message's agent is under, itself first; none for the session's own. */
export function agentsAbove(id: string, agents: ReadonlyMap<string, OutlinedAgent>): readonly string[] {
  const above: string[] = []
  let at: string | null = id
  while (at !== null && at !== MAIN && !above.includes(at)) {
    above.push(at)
    at = agents.get(at)?.parent_id ?? null
  }
  return above
}
