import type { Agent, ToolStats } from '@panoptes/schema'
import { createTurns } from './turns.ts'

const SHORTEST_MS = 60_000
const UNKNOWN_MS = 600_000
const FEWEST_SAMPLES = 5
const TIMES_USUAL = 3
const LOST_MS = 1_800_000
/** A person may be away for a long time. */
const LOST_WAITING_MS = 86_400_000
const DEEPEST = 64

/**
 * Returns how long an agent may be silent before it counts as stuck, based on the usual duration of its tool.
 */
export function stuckAfterMs(
  agent: Agent,
  findUsual: (source: string, tool: string) => ToolStats | undefined,
): number {
  const usual = agent.doing ? findUsual(agent.source, agent.doing.tool) : undefined
  if (!usual || usual.samples < FEWEST_SAMPLES || usual.p95_ms === null) return UNKNOWN_MS
  return Math.max(SHORTEST_MS, TIMES_USUAL * usual.p95_ms)
}

/** Returns how long an agent may be silent before it counts as lost. */
export const lostAfterMs = (agent: Agent, stuckMs: number): number =>
  agent.state === 'waiting' ? LOST_WAITING_MS : Math.max(LOST_MS, 2 * stuckMs)

export const agentKey = ({ source, session_id, id }: Pick<Agent, 'source' | 'session_id' | 'id'>): string =>
  JSON.stringify([source, session_id, id])

/**
 * Returns when each agent, or a descendant it waits for, last showed a sign of life. An agent whose
 * descendant waits for a person is never silent.
 */
export async function findLastSigns(alive: readonly Agent[]): Promise<ReadonlyMap<string, number>> {
  const turn = createTurns()
  const signs = new Map<string, number>()
  const agents = new Map<string, Agent>()
  for (const agent of alive) {
    const name = agentKey(agent)
    signs.set(name, agent.last_at)
    agents.set(name, agent)
    await turn()
  }
  for (const agent of alive) {
    await turn()
    const sign = agent.state === 'waiting' ? Number.POSITIVE_INFINITY : agent.last_at
    let above = agent
    for (let level = 0; level < DEEPEST && above.parent_id !== null; level += 1) {
      const parent = agents.get(agentKey({ ...above, id: above.parent_id }))
      if (!parent) break
      const name = agentKey(parent)
      signs.set(name, Math.max(signs.get(name) ?? 0, sign))
      above = parent
    }
  }
  return signs
}
