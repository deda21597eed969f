import type { PlanNode, TaskGraph } from '@panoptes/schema'

export type Edge = TaskGraph['edges'][number]

interface Graph {
  readonly nodes: readonly PlanNode[]
  readonly edges: readonly Edge[]
}

export const LIMITS = { nodes: 12, depth: 6, width: 4, label: 120 } as const

/** The overhead per branch in seconds, for another context and another call. */
const OVERHEAD = 4
/** The time in seconds for merging the results of the branches. */
const MERGE = 6
/** A factor for branches that do not end at the same time. */
const IMBALANCE = 1.25
/** The minimum speedup for which branches are used. */
const THRESHOLD = 1.5

interface Worth {
  readonly worthiness: number
  readonly decision: 'sequential' | 'parallel'
  readonly reasons: readonly string[]
}

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
  if (levels === null) return 'its steps depend on each other in a cycle'
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

/**
 * Estimates the speedup of running in parallel: the total work divided by the longest path, with
 * overhead and imbalance.
 */
export function estimateWorth(graph: Graph): Worth {
  const levels = computeLevels(graph)
  const total = graph.nodes.reduce((sum, { work }) => sum + work, 0)
  const createSequentialResult = (worthiness: number, ...reasons: readonly string[]): Worth => ({
    worthiness: roundWorth(worthiness),
    decision: 'sequential',
    reasons,
  })
  if (levels === null || graph.nodes.length < 2) return createSequentialResult(1, 'The request has one step.')
  const byLevel = Map.groupBy(graph.nodes, ({ id }) => levels.get(id) ?? 0)
  let longest = 0
  let branches = 0
  for (const nodes of byLevel.values()) {
    if (nodes.length === 1) {
      longest += nodes[0]?.work ?? 0
      continue
    }
    branches += nodes.length
    const works = nodes.map(({ work }) => work)
    const sum = works.reduce((all, work) => all + work, 0)
    const workers = Math.min(nodes.length, LIMITS.width)
    longest += OVERHEAD + MERGE + Math.max(Math.max(...works), (sum / workers) * IMBALANCE)
  }
  if (branches === 0) return createSequentialResult(1, 'Each step depends on the previous one.')
  const worthiness = longest === 0 ? 1 : total / longest
  const gain = `The estimated speedup of parallel work is ×${roundWorth(worthiness)}.`
  if (worthiness < THRESHOLD)
    return createSequentialResult(worthiness, gain, `Below ×${THRESHOLD} the steps run in sequence.`)
  return {
    worthiness: roundWorth(worthiness),
    decision: 'parallel',
    reasons: [`${branches} steps are independent.`, gain],
  }
}

const roundWorth = (worth: number): number => Math.round(worth * 100) / 100
