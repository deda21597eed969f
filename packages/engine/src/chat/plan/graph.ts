import type { PlanNode, TaskGraph } from '@panoptes/schema'

export type Edge = TaskGraph['edges'][number]

export interface Graph {
  readonly nodes: readonly PlanNode[]
  readonly edges: readonly Edge[]
}

export const LIMITS = { nodes: 12, depth: 6, width: 4, label: 120 } as const

/**
 * Returns each node with its level. Level 0 needs nothing; others come after everything they need.
 * Returns null if the graph has a cycle.
 */
export function computeLevels({ nodes, edges }: Graph): ReadonlyMap<string, number> | null {
  const needs = new Map(nodes.map(({ id }) => [id, 0]))
  const after = new Map<string, string[]>()
  for (const { from, to } of edges) {
    needs.set(to, (needs.get(to) ?? 0) + 1)
    after.set(from, [...(after.get(from) ?? []), to])
  }
  const levels = new Map<string, number>()
  const ready = nodes.filter(({ id }) => needs.get(id) === 0).map(({ id }) => id)
  for (const id of ready) levels.set(id, 0)
  for (let id = ready.shift(); id !== undefined; id = ready.shift())
    for (const next of after.get(id) ?? []) {
      levels.set(next, Math.max(levels.get(next) ?? 0, (levels.get(id) ?? 0) + 1))
      const left = (needs.get(next) ?? 0) - 1
      needs.set(next, left)
      if (left === 0) ready.push(next)
    }
  return [...needs.values()].some((left) => left > 0) ? null : levels
}

/** Returns why a graph is not a valid plan, or null if it is. */
export function findProblem(graph: Graph): string | null {
  const { nodes, edges } = graph
  const ids = new Set(nodes.map(({ id }) => id))
  if (nodes.length === 0) return 'it has no steps'
  if (nodes.length > LIMITS.nodes) return `it has more than ${LIMITS.nodes} steps`
  if (ids.size !== nodes.length) return 'two steps have the same id'
  if (nodes.some(({ work }) => !Number.isFinite(work) || work < 0)) return 'a step has no valid work estimate'
  if (edges.some(({ from, to }) => !ids.has(from) || !ids.has(to))) return 'it refers to an unknown step'
  if (new Set(edges.map(({ from, to }) => `${from}\n${to}`)).size !== edges.length)
    return 'it lists an edge twice'
  const levels = computeLevels(graph)
  if (levels === null) return 'steps wait for each other in a circle'
  const depth = Math.max(...levels.values()) + 1
  if (depth > LIMITS.depth) return `it is more than ${LIMITS.depth} steps deep`
  if (maxLevelWidth(levels) > LIMITS.width) return `more than ${LIMITS.width} steps run in parallel`
  return null
}

export function maxLevelWidth(levels: ReadonlyMap<string, number>): number {
  const counts = new Map<number, number>()
  for (const level of levels.values()) counts.set(level, (counts.get(level) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
