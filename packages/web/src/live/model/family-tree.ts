import type { Agent } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import { isMain, MAIN } from './names.ts'

/** The agents of one session as a tree. An agent with an unknown parent hangs under `main`. */
export interface FamilyTree {
  readonly main: Agent | null
  readonly findChildren: (id: string) => readonly Agent[]
}

const byStart = (a: Agent, b: Agent): number => a.started_at - b.started_at || compareText(a.id, b.id)

export function familyTree(agents: readonly Agent[]): FamilyTree {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const children = new Map<string, Agent[]>()
  for (const agent of agents) {
    if (isMain(agent)) continue
    const parent = findParent(agent, byId)
    const siblings = children.get(parent)
    if (siblings) siblings.push(agent)
    else children.set(parent, [agent])
  }
  for (const siblings of children.values()) siblings.sort(byStart)
  return { main: byId.get(MAIN) ?? null, findChildren: (id) => children.get(id) ?? [] }
}

/** The nearest known ancestor; a cycle of parents ends at `main`. */
function findParent(agent: Agent, byId: ReadonlyMap<string, Agent>): string {
  const { parent_id } = agent
  if (parent_id === null || !byId.has(parent_id)) return MAIN
  const seen = new Set([agent.id])
  for (let at = byId.get(parent_id); at && !isMain(at); ) {
    if (seen.has(at.id)) return MAIN
    seen.add(at.id)
    at = at.parent_id === null ? undefined : byId.get(at.parent_id)
  }
  return parent_id
}
