import type { Agent, AgentIdentity } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { keyOf } from './key.ts'

/** More ended agents than this are not kept; the ledger has them. */
const ENDED_KEPT = 4_000
const GONE_KEPT = 1_000

/** The agents the server has told of, each as it was last told. */
export interface AgentMap {
  readonly get: (key: string) => Agent | undefined
  readonly values: () => readonly Agent[]
  readonly size: () => number
  /** What the stream says is newer than anything before. */
  readonly tell: (agents: readonly Agent[]) => void
  /** The stream says that these names are no agent's any more. */
  readonly drop: (gone: readonly AgentIdentity[]) => void
  /** What was asked for may be older than what the stream said meanwhile. */
  readonly fill: (agents: readonly Agent[]) => void
  readonly clear: () => void
}

export function createAgentMap(): AgentMap {
  const known = new Map<string, Agent>()
  /** An answer that is under way may still name these. */
  const gone = new Set<string>()
  let listed: readonly Agent[] | null = null

  const put = (agent: Agent) => {
    known.set(keyOf(agent), agent)
    listed = null
  }
  const prune = () => {
    const ended = [...known].filter(([, agent]) => !isAlive(agent.state))
    if (ended.length <= ENDED_KEPT * 1.25) return
    ended.sort(([, a], [, b]) => a.last_at - b.last_at)
    for (const [key] of ended.slice(0, ended.length - ENDED_KEPT)) known.delete(key)
    listed = null
  }
  return {
    size: () => known.size,
    get: (key) => known.get(key),
    values: () => {
      listed ??= [...known.values()]
      return listed
    },
    tell: (agents) => {
      for (const agent of agents) {
        gone.delete(keyOf(agent))
        put(agent)
      }
      if (known.size > ENDED_KEPT) prune()
    },
    drop: (refs) => {
      for (const key of refs.map(keyOf)) {
        if (gone.size < GONE_KEPT) gone.add(key)
        if (known.delete(key)) listed = null
      }
    },
    fill: (agents) => {
      for (const agent of agents) {
        const before = known.get(keyOf(agent))
        if (gone.has(keyOf(agent))) continue
        if (!before || before.last_at < agent.last_at) put(agent)
      }
      gone.clear()
    },
    clear: () => {
      known.clear()
      gone.clear()
      listed = null
    },
  }
}
