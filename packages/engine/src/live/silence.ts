import type { Agent, ToolStats } from '@panoptes/schema'
import { createTurns } from './turns.ts'

const SHORTEST_MS = 60_000
const UNKNOWN_MS = 600_000
const FEWEST_SAMPLES = 5
const TIMES_USUAL = 3
const LOST_MS = 1_800_000
/** A person may be away for long. */
const LOST_WAITING_MS = 86_400_000
const DEEPEST = 64

/** How long an agent may be silent before it is taken for stuck: by what its tool usually takes. */
export function patience(
  agent: Agent,
  usualOf: (source: string, tool: string) => ToolStats | undefined,
): number {
  const usual = agent.doing ? usualOf(agent.source, agent.doing.tool) : undefined
  if (!usual || usual.samples < FEWEST_SAMPLES || usual.p95_ms === null) return UNKNOWN_MS
  return Math.max(SHORTEST_MS, TIMES_USUAL * usual.p95_ms)
}

/** How long before it is taken for gone. */
export const lifetime = (agent: Agent, patienceMs: number): number =>
  agent.state === 'waiting' ? LOST_WAITING_MS : Math.max(LOST_MS, 2 * patienceMs)

export const nameOf = ({ source, session_id, id }: Pick<Agent, 'source' | 'session_id' | 'id'>): string =>
  JSON.stringify([source, session_id, id])

/** When each agent, or one that it waits for, last gave a sign of life. Whoever is asked for by one of its own is not silent. */
export async function lastSigns(alive: readonly Agent[]): Promise<ReadonlyMap<string, number>> {
  const turn = createTurns()
  const signs = new Map<string, number>()
  const known = new Map<string, Agent>()
  for (const agent of alive) {
    const name = nameOf(agent)
    signs.set(name, agent.last_at)
    known.set(name, agent)
    await turn()
  }
  for (const agent of alive) {
    await turn()
    const sign = agent.state === 'waiting' ? Number.POSITIVE_INFINITY : agent.last_at
    let above = agent
    for (let level = 0; level < DEEPEST && above.parent_id !== null; level += 1) {
      const parent = known.get(nameOf({ ...above, id: above.parent_id }))
      if (!parent) break
      const name = nameOf(parent)
      signs.set(name, Math.max(signs.get(name) ?? 0, sign))
      above = parent
    }
  }
  return signs
}
