import type { OutlinedAgent } from '@panoptes/schema'
import { MAIN } from './thread.ts'

/**
 * Groups agents without a known call by their parent, or by the main agent if the parents do not lead to it.
 */
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
  const seen = new Set([agent.id])
  for (let id = agent.parent_id; id !== MAIN; id = byId.get(id)?.parent_id ?? null) {
    if (id === null || seen.has(id) || !byId.has(id)) return false
    seen.add(id)
  }
  return true
}

/** Returns an agent and its ancestors; nothing for the main agent. */
export function agentsAbove(id: string, agents: ReadonlyMap<string, OutlinedAgent>): readonly string[] {
  const above: string[] = []
  let at: string | null = id
  while (at !== null && at !== MAIN && !above.includes(at)) {
    above.push(at)
    at = agents.get(at)?.parent_id ?? null
  }
  return above
}
