import { type Graph, LIMITS, levelsOf } from './graph.ts'

/** Seconds that a branch costs before it does anything: another context, another call. */
const OVERHEAD = 4
/** Seconds for putting together what branches brought. */
const MERGE = 6
/** Branches seldom end at once. */
const IMBALANCE = 1.25
/** From here on branches are worth their trouble. */
const THRESHOLD = 1.5

export interface Worth {
  readonly worthiness: number
  readonly decision: 'sequential' | 'parallel'
  readonly reasons: readonly string[]
}

/** What doing it side by side is predicted to gain: all the work over what the slowest way takes, with overhead and imbalance. */
export function worthOf(graph: Graph): Worth {
  const levels = levelsOf(graph)
  const total = graph.nodes.reduce((sum, { work }) => sum + work, 0)
  const sequential = (worthiness: number, ...reasons: readonly string[]): Worth => ({
    worthiness: rounded(worthiness),
    decision: 'sequential',
    reasons,
  })
  if (levels === null || graph.nodes.length < 2) return sequential(1, 'There is one thing to do.')
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
  if (branches === 0) return sequential(1, 'Each step needs the one before.')
  const worthiness = longest === 0 ? 1 : total / longest
  const gain = `Side by side would gain ×${rounded(worthiness)}.`
  if (worthiness < THRESHOLD)
    return sequential(worthiness, gain, `Under ×${THRESHOLD} it is done one after the other.`)
  return {
    worthiness: rounded(worthiness),
    decision: 'parallel',
    reasons: [`${branches} steps need nothing of each other.`, gain],
  }
}

const rounded = (worth: number): number => Math.round(worth * 100) / 100
