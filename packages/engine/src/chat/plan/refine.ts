import { type Result, type TaskGraph, taskGraph } from '@panoptes/schema'
import { LIMITS, problemOf } from './graph.ts'
import { worthOf } from './worth.ts'

export type AskModel = (prompt: string, signal: AbortSignal) => Promise<Result<string>>

const shape = taskGraph.pick({ nodes: true, edges: true })
const TIMEOUT_MS = 15_000

/** A model's word on a plan, where it is one; else the plan as the rules made it, and why. */
export async function refinedPlan(
  message: string,
  plan: TaskGraph,
  ask: AskModel,
  signal: AbortSignal,
): Promise<TaskGraph> {
  // Where there is one thing to do nothing is gained, and nobody waits for it.
  if (plan.nodes.length < 2) return plan
  const kept = (why: string): TaskGraph => ({
    ...plan,
    reasons: [...plan.reasons, `The model's plan was not taken: ${why}.`],
  })
  const said = await ask(promptOf(message, plan), AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]))
  if (!said.ok) return kept(said.message)
  const read = shape.safeParse(jsonIn(said.value))
  if (!read.success) return kept('it is not in the form that was asked for')
  const { edges } = read.data
  const nodes = read.data.nodes.map((node) => ({
    ...node,
    label: node.label.slice(0, LIMITS.label).toWellFormed(),
  }))
  const problem = problemOf({ nodes, edges })
  if (problem !== null) return kept(problem)
  const { worthiness, decision, reasons } = worthOf({ nodes, edges })
  return { decision, worthiness, reasons: [...reasons], nodes, edges, refined: true }
}

const promptOf = (message: string, { nodes, edges }: TaskGraph): string =>
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
    return JSON.parse(text.slice(from, to + 1))
  } catch {
    return null
  }
}
