import type { Agent, AgentState, Outcome } from '@panoptes/schema'
import type { Family } from './names.ts'

/** A mark on the graph: an agent, or several alike folded into one. */
export interface GraphNode {
  readonly key: string
  readonly kind: 'main' | 'agent' | 'group'
  readonly name: string
  /** null for a session whose own agent was never told of. */
  readonly agent: Agent | null
  readonly state: AgentState
  readonly outcome: Outcome | null
  readonly family: Family
  readonly background: boolean
  /** The node above it in `nodes` of its session; -1 for `main`. */
  readonly parent: number
  readonly depth: number
  /** The agents folded into it. */
  readonly members: readonly string[]
  /** There only because a descendant is: the filter does not name it. */
  readonly dim: boolean
  readonly conflict: boolean
}

export interface ToolPill {
  readonly tool: string
  readonly calls: number
  /** null where it is not known which tool failed. */
  readonly errors: number | null
  readonly p95_ms: number | null
}

/** One eye: `main` first, then everyone below it, parents before children. */
export interface GraphSession {
  readonly key: string
  readonly title: string
  /** What it is about, where its title does not say so. */
  readonly about: string | null
  /** How many agents, in words. */
  readonly count: string
  readonly startedAt: number
  readonly nodes: readonly GraphNode[]
  readonly alive: number
  readonly waiting: number
  readonly stuck: number
  readonly failed: number
  readonly tools: readonly ToolPill[]
  /** The tools that have no pill of their own. */
  readonly moreTools: (Omit<ToolPill, 'tool' | 'p95_ms'> & { readonly tools: number }) | null
}

export interface Graph {
  readonly sessions: readonly GraphSession[]
  readonly nodes: number
  readonly alive: number
}
