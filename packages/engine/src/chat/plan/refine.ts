import { type Result, type TaskGraph, taskGraph } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { findProblem, LIMITS } from './graph.ts'
import { estimateWorth } from './parallel-speedup.ts'

export type AskModel = (prompt: string, signal: AbortSignal) => Promise<Result<string>>

const shape = taskGraph.pick({ nodes: true, edges: true })
const TIMEOUT_MS = 15_000

/**
 * Returns the model's plan if it is valid. Otherwise returns the rule-based plan with the reason.
 */
export async function refinedPlan(
  message: string,
  plan: TaskGraph,
  ask: AskModel,
  signal: AbortSignal,
): Promise<TaskGraph> {
  // A single step gains nothing from refinement, so nothing waits for it.
  if (plan.nodes.length < 2) return plan
  const unrefined = (why: string): TaskGraph => ({
    ...plan,
    reasons: [...plan.reasons, `The model's plan was rejected: ${why}.`],
  })
  const answer = await ask(
    buildPrompt(message, plan),
    AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  )
  if (!answer.ok) return unrefined(answer.message)
  const read = shape.safeParse(jsonIn(answer.value))
  if (!read.success) return unrefined('it has the wrong format')
  const { edges } = read.data
  const nodes = read.data.nodes.map((node) => ({
    ...node,
    label: node.label.slice(0, LIMITS.label).toWellFormed(),
  }))
  const problem = findProblem({ nodes, edges })
  if (problem !== null) return unrefined(problem)
  const { worthiness, decision, reasons } = estimateWorth({ nodes, edges })
  // A model may use an id that the runtime uses for something else in the run, such as "start".
  const ids = new Map(nodes.map(({ id }, at) => [id, `t${at + 1}`]))
  const renamed = (id: string): string => ids.get(id) ?? id
  return {
    decision,
    worthiness,
    reasons: [...reasons],
    nodes: nodes.map((node) => ({ ...node, id: renamed(node.id) })),
    edges: edges.map(({ from, to }) => ({ from: renamed(from), to: renamed(to) })),
    refined: true,
  }
}

const buildPrompt = (message: string, { nodes, edges }: TaskGraph): string =>
  [
    'Split what is asked below into steps. Answer with JSON alone: {"nodes":[{"id","label","work"}],"edges":[{"from","to"}]}.',
    `work is in seconds; an edge leads from what has to be done first; at most ${LIMITS.nodes} steps, ${LIMITS.depth} deep, ${LIMITS.width} side by side, no circles.`,
    `A first draft: ${JSON.stringify({ nodes, edges })}`,
    `What is asked: ${JSON.stringify(message.slice(0, 8_000))}`,
  ].join('\n')

function jsonIn(text: string): unknown {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from < 0 || to < from) return null
  try {
    return parseJson(text.slice(from, to + 1))
  } catch {
    return null
  }
}
