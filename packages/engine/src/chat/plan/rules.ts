import { type PlanNode, type Result, type TaskGraph, taskGraph } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { plural } from '@panoptes/schema/numbers'
import { commandText } from './clauses.ts'
import { computeLevels, type Edge, estimateWorth, findProblem, LIMITS } from './graph.ts'
import type { Work } from './languages.ts'
import { classifyWork, type Patterns, patternsFor } from './patterns.ts'
import { type Step, splitSteps } from './steps.ts'

/** Estimated seconds of work, by what a step asks for. */
const WORK: Readonly<Record<Work, number>> = { make: 60, change: 40, study: 40, run: 30, tell: 20, look: 12 }
const DEFAULT_WORK = 15

export type AskModel = (prompt: string, signal: AbortSignal) => Promise<Result<string>>

const shape = taskGraph.pick({ nodes: true, edges: true })
const TIMEOUT_MS = 15_000

/** Plans by rules alone: sequentially, unless the message itself says otherwise. */
export function planByRules(message: string): TaskGraph {
  const patterns = patternsFor(message)
  const all = splitSteps(message, patterns)
  const steps = all.length === 0 ? [{ text: message.trim(), joins: 'next' as const }] : all
  const includedSteps = steps.slice(0, LIMITS.nodes)
  const nodes = includedSteps.map((step, at) => toNode(step, at, patterns))
  const edges = limitGraph(nodes, buildEdges(includedSteps, nodes))
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
  return work === null ? DEFAULT_WORK : WORK[work]
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
function limitGraph(nodes: PlanNode[], edges: readonly Edge[]): readonly Edge[] {
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
  if (deep.length === 0) return uniqueEdges(added)
  const at = nodes.findLastIndex((node) => !isDeep(node))
  const last = nodes[at]
  if (last === undefined) return uniqueEdges(added)
  nodes[at] = {
    ...last,
    label: `${last.label.slice(0, 80)} … and ${deep.length} more`,
    work: last.work + deep.reduce((sum, { work }) => sum + work, 0),
  }
  const gone = new Set(deep.map(({ id }) => id))
  for (const node of deep) nodes.splice(nodes.indexOf(node), 1)
  return uniqueEdges(added.filter(({ from, to }) => !gone.has(from) && !gone.has(to)))
}

const uniqueEdges = (edges: readonly Edge[]): readonly Edge[] => [
  ...new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge])).values(),
]

/**
 * Returns the model's plan if it is valid. Otherwise returns the rule-based plan with the reason.
 */
export async function refinePlan(
  message: string,
  plan: TaskGraph,
  ask: AskModel,
  signal: AbortSignal,
): Promise<TaskGraph> {
  // A single step gains nothing from refinement, so nothing waits for it.
  if (plan.nodes.length < 2) return plan
  const rejectRefinement = (why: string): TaskGraph => ({
    ...plan,
    reasons: [...plan.reasons, `The model's plan was rejected: ${why}.`],
  })
  const answer = await ask(
    buildPrompt(message, plan),
    AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  )
  if (!answer.ok) return rejectRefinement(answer.message)
  const read = shape.safeParse(extractJson(answer.value))
  if (!read.success) return rejectRefinement('it has the wrong format')
  const { edges } = read.data
  const nodes = read.data.nodes.map((node) => ({
    ...node,
    label: node.label.slice(0, LIMITS.label).toWellFormed(),
  }))
  const problem = findProblem({ nodes, edges })
  if (problem !== null) return rejectRefinement(problem)
  const { worthiness, decision, reasons } = estimateWorth({ nodes, edges })
  // A model may use an id that the runtime uses for something else in the run, such as "start".
  const ids = new Map(nodes.map(({ id }, at) => [id, `t${at + 1}`]))
  const mapId = (id: string): string => ids.get(id) ?? id
  return {
    decision,
    worthiness,
    reasons: [...reasons],
    nodes: nodes.map((node) => ({ ...node, id: mapId(node.id) })),
    edges: edges.map(({ from, to }) => ({ from: mapId(from), to: mapId(to) })),
    refined: true,
  }
}

const buildPrompt = (message: string, { nodes, edges }: TaskGraph): string =>
  [
    'Split the request below into steps. Answer with JSON alone: {"nodes":[{"id","label","work"}],"edges":[{"from","to"}]}.',
    `work is in seconds; an edge leads from a step to one that depends on it; at most ${LIMITS.nodes} steps, ${LIMITS.depth} levels, ${LIMITS.width} in parallel, no cycles.`,
    `First draft: ${JSON.stringify({ nodes, edges })}`,
    `Request: ${JSON.stringify(message.slice(0, 8_000))}`,
  ].join('\n')

function extractJson(text: string): unknown {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from < 0 || to < from) return null
  try {
    return parseJson(text.slice(from, to + 1))
  } catch {
    return null
  }
}
