import { computeLevels, type Graph, LIMITS } from './graph.ts'

/** The overhead per branch in seconds, for another context and another call. */
const OVERHEAD = 4
/** The time in seconds for merging the results of the branches. */
const MERGE = 6
/** A factor for branches that do not end at the same time. */
const IMBALANCE = 1.25
/** The minimum speedup for which branches are used. */
const THRESHOLD = 1.5

export interface Worth {
  readonly worthiness: number
  readonly decision: 'sequential' | 'parallel'
  readonly reasons: readonly string[]
}

/**
 * Estimates the speedup of running in parallel: the total work divided by the longest path, with
 * overhead and imbalance.
 */
export function estimateWorth(graph: Graph): Worth {
  const levels = computeLevels(graph)
  const total = graph.nodes.reduce((sum, { work }) => sum + work, 0)
  const sequential = (worthiness: number, ...reasons: readonly string[]): Worth => ({
    worthiness: rounded(worthiness),
    decision: 'sequential',
    reasons,
  })
  if (levels === null || graph.nodes.length < 2) return sequential(1, 'The request has one step.')
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
  if (branches === 0) return sequential(1, 'Each step depends on the previous one.')
  const worthiness = longest === 0 ? 1 : total / longest
  const gain = `The estimated speedup of parallel work is ×${rounded(worthiness)}.`
  if (worthiness < THRESHOLD)
    return sequential(worthiness, gain, `Below ×${THRESHOLD} the steps run in sequence.`)
  return {
    worthiness: rounded(worthiness),
    decision: 'parallel',
    reasons: [`${branches} steps are independent.`, gain],
  }
}

const rounded = (worth: number): number => Math.round(worth * 100) / 100
