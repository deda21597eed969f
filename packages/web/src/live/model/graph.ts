import type { Agent, AgentState, Outcome } from '@panoptes/schema'
import type { Family } from './names.ts'

/** A node of the graph: an agent, or a group of similar ones. */
export interface GraphNode {
  readonly key: string
  readonly kind: 'main' | 'agent' | 'group'
  readonly name: string
  /** Null for a session whose own agent was never reported. */
  readonly agent: Agent | null
  readonly state: AgentState
  readonly outcome: Outcome | null
  readonly family: Family
  readonly background: boolean
  /** The index of its parent in `nodes` of its session; -1 for `main`. */
  readonly parent: number
  readonly depth: number
  /** The agents in the group. */
  readonly members: readonly string[]
  /** Shown only because a descendant matches the filter. */
  readonly dim: boolean
  readonly conflict: boolean
}

export interface ToolPill {
  readonly tool: string
  readonly calls: number
  /** Null if the failed tool is unknown. */
  readonly errors: number | null
  readonly p95_ms: number | null
}

/** One session: `main` first, then its descendants, parents before children. */
export interface GraphSession {
  readonly key: string
  readonly title: string
  /** Its topic, if the title does not name it. */
  readonly about: string | null
  /** The number of agents, as text. */
  readonly count: string
  readonly startedAt: number
  readonly nodes: readonly GraphNode[]
  readonly alive: number
  readonly waiting: number
  readonly stuck: number
  readonly failed: number
  readonly tools: readonly ToolPill[]
  /** The tools without their own pill. */
  readonly moreTools: (Omit<ToolPill, 'tool' | 'p95_ms'> & { readonly tools: number }) | null
}

export interface Graph {
  readonly sessions: readonly GraphSession[]
  readonly nodes: number
  readonly alive: number
}

/** One session of a graph, for screens without room for more. */
export interface SelectedSession {
  readonly graph: Graph
  /** The index of the session, from 0. */
  readonly index: number
  readonly of: number
}

/** The chosen session, else the one that needs someone, else the first. */
export function selectSession(
  graph: Graph,
  chosen: string | null,
  say: (count: string, others: number) => string,
): SelectedSession {
  const { sessions } = graph
  const index = Math.max(
    0,
    [
      sessions.findIndex((one) => one.key === chosen),
      sessions.findIndex((one) => one.waiting > 0),
      sessions.findIndex((one) => one.stuck > 0),
    ].find((at) => at >= 0) ?? 0,
  )
  const session = sessions[index]
  if (!session) return { graph, index: 0, of: 0 }
  const others = sessions.length - 1
  const alone: GraphSession =
    others === 0 ? session : { ...session, about: null, count: say(session.count, others) }
  return {
    graph: { sessions: [alone], nodes: session.nodes.length, alive: session.alive },
    index,
    of: sessions.length,
  }
}
