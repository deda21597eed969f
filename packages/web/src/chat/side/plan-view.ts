import type { ProgressStatus, TaskGraph } from '@panoptes/schema'
import { isOver, type RunView } from '../state/run-view.ts'

export interface PlanStep {
  readonly id: string
  readonly label: string
  readonly state: ProgressStatus | 'open' | 'waiting'
  readonly elapsedMs: number | null
}

export interface PlanView {
  readonly steps: readonly PlanStep[]
  readonly done: number
  /** Whether anybody says how far it is. */
  readonly isTold: boolean
}

/** A plan with what the run says of each step. */
export function planView(plan: TaskGraph, run: RunView | null): PlanView {
  const asks = run?.asks.some(({ state }) => state === 'open') ?? false
  // Jarvis does what is not side by side in one go and tells of no step: they are done with the answer.
  const isSilent = !plan.nodes.some(({ id }) => run?.nodes.has(id))
  const isAnswered = isSilent && run?.runtime === 'jarvis' && run.end?.kind === 'completed'
  const steps = plan.nodes.map(({ id, label }): PlanStep => {
    const node = run?.nodes.get(id)
    if (node === undefined) return { id, label, state: isAnswered ? 'completed' : 'open', elapsedMs: null }
    const isLeft = run !== null && run.end !== null && !isOver(node.status)
    const waits = asks && !isOver(node.status)
    const state = isLeft ? 'skipped' : waits ? 'waiting' : node.status
    return { id, label, state, elapsedMs: node.elapsedMs }
  })
  return {
    steps,
    done: steps.filter(({ state }) => state === 'completed').length,
    isTold: steps.some(({ state }) => state !== 'open'),
  }
}
