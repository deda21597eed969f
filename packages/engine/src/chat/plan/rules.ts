import type { PlanNode, TaskGraph } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { commandText } from './clauses.ts'
import { computeLevels, type Edge, LIMITS } from './graph.ts'
import type { Work } from './languages.ts'
import { estimateWorth } from './parallel-speedup.ts'
import { classifyWork, type Patterns, patternsFor } from './patterns.ts'
import { type Step, stepsIn } from './steps.ts'

/** Estimated seconds of work, by what a step asks for. */
const WORK: Readonly<Record<Work, number>> = { make: 60, change: 40, study: 40, run: 30, tell: 20, look: 12 }
const USUAL = 15

/** Plans by rules alone: sequentially, unless the message itself says otherwise. */
export function planByRules(message: string): TaskGraph {
  const patterns = patternsFor(message)
  const all = stepsIn(message, patterns)
  const steps = all.length === 0 ? [{ text: message.trim(), joins: 'next' as const }] : all
  const includedSteps = steps.slice(0, LIMITS.nodes)
  const nodes = includedSteps.map((step, at) => toNode(step, at, patterns))
  const edges = bounded(nodes, buildEdges(includedSteps, nodes))
  const { worthiness, decision, reasons } = estimateWorth({ nodes, edges })
  const left = steps.length - includedSteps.length
  return {
    decision,
    worthiness,
    reasons: [
      ...reasons,
      ...(left > 0 ? [`${plural(left, 'more step is', 'more steps are')} left to the runtime.`] : []),
    ],
    nodes,
    edges: [...edges],
  }
}

const toNode = ({ text }: Step, at: number, patterns: Patterns): PlanNode => ({
  id: `t${at + 1}`,
  label: text.length > LIMITS.label ? `${text.slice(0, LIMITS.label - 1).toWellFormed()}…` : text,
  work: estimateSeconds(text, patterns) + Math.min(20, Math.floor(text.length / 100)),
})

function estimateSeconds(text: string, patterns: Patterns): number {
  const work = classifyWork(commandText(text, patterns))
  return work === null ? USUAL : WORK[work]
}

/**
 * Adds edges: parallel to its neighbours, after the previous step, or after every step that nothing
 * follows yet.
 */
function buildEdges(steps: readonly Step[], nodes: readonly PlanNode[]): readonly Edge[] {
  const edges: Edge[] = []
  const nodeId = (at: number) => nodes[at]?.id ?? ''
  /** The current parallel group, and what all of it needs. */
  let group: number[] = []
  let before: number[] = []
  for (const [at, { joins }] of steps.entries()) {
    if (at > 0 && joins !== 'beside') {
      before = group
      group = []
    }
    for (const from of before) edges.push({ from: nodeId(from), to: nodeId(at) })
    group.push(at)
  }
  return edges
}

/**
 * Limits the width and depth: steps beyond the width wait, and steps beyond the depth merge into
 * the last one.
 */
function bounded(nodes: PlanNode[], edges: readonly Edge[]): readonly Edge[] {
  let levels = computeLevels({ nodes, edges }) ?? new Map<string, number>()
  const added: Edge[] = [...edges]
  for (let level = 0; level < nodes.length; level += 1) {
    const here = nodes.filter(({ id }) => levels.get(id) === level)
    for (const [at, late] of here.slice(LIMITS.width).entries())
      added.push({ from: here[at % LIMITS.width]?.id ?? '', to: late.id })
    if (here.length > LIMITS.width) levels = computeLevels({ nodes, edges: added }) ?? levels
  }
  const isDeep = ({ id }: PlanNode) => (levels.get(id) ?? 0) >= LIMITS.depth
  const deep = nodes.filter(isDeep)
  if (deep.length === 0) return unique(added)
  const at = nodes.findLastIndex((node) => !isDeep(node))
  const last = nodes[at]
  if (last === undefined) return unique(added)
  nodes[at] = {
    ...last,
    label: `${last.label.slice(0, 80)} … and ${deep.length} more`,
    work: last.work + deep.reduce((sum, { work }) => sum + work, 0),
  }
  const gone = new Set(deep.map(({ id }) => id))
  for (const node of deep) nodes.splice(nodes.indexOf(node), 1)
  return unique(added.filter(({ from, to }) => !gone.has(from) && !gone.has(to)))
}

const unique = (edges: readonly Edge[]): readonly Edge[] => [
  ...new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge])).values(),
]
