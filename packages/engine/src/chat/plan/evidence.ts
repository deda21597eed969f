import type { PlanNode, TaskGraph } from '@panoptes/schema'
import { toFields } from '@panoptes/schema/plain-object'
import type { RuntimeEvent, RuntimeProgress } from '../runtimes/port.ts'
import { containsWord, findNamedWords, isDoneByText, type StepWork, stepWork } from './tool-work.ts'

/**
 * Tracks which steps of a plan a run has completed. A tool call belongs to a step if its kind of
 * tool can do what the step asks for and its input names something that only this step names. A
 * step starts with its first call and is complete once its last call succeeded and the run moved
 * on. A final step that asks for text is complete with the whole answer, if everything before it
 * is. A step without evidence stays open, and a run without evidence has no progress at all.
 */
export interface PlanEvidence {
  /** Returns the further events that an event of the run implies. */
  readonly take: (event: RuntimeEvent) => readonly RuntimeProgress[]
}

const MOST_CALLS = 2_000
const MOST_ANSWER = 40_000
const MOST_NAMED = 20

type Ending = 'completed' | 'failed' | 'skipped'

interface Step extends StepWork {
  readonly node: PlanNode
  /** The calls that belong to the step and the state of each. */
  readonly calls: Map<string, 'runs' | Ending>
  state: 'open' | 'begun' | Ending
}

export function createPlanEvidence(plan: TaskGraph): PlanEvidence {
  const steps = plan.nodes.map(
    (node): Step => ({ ...stepWork(node.label), node, calls: new Map(), state: 'open' }),
  )
  const owners = new Map<string, Step>()
  let isOver = steps.length < 2
  let answer = ''

  const findStep = ({ label, detail }: RuntimeProgress): Step | null => {
    const { name, input, files } = toFields(detail)
    const call = { name: String(name ?? label), input, label, files }
    const able = steps.flatMap((step) => {
      const named = findNamedWords(step, call)
      return named === null ? [] : [{ step, named }]
    })
    const scored = able
      .map(({ step, named }) => ({
        step,
        score: named.filter((word) =>
          able.every((one) => one.step === step || !one.step.words.includes(word)),
        ).length,
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
    const [best, second] = scored
    return best === undefined || best.score === second?.score ? null : best.step
  }

  const stepProgress = (step: Step, status: RuntimeProgress['status']): RuntimeProgress => ({
    type: 'progress',
    node_id: step.node.id,
    parent_id: 'plan',
    kind: 'step',
    status,
    label: step.node.label,
    detail: { evidence: [...step.calls.keys()].slice(-MOST_NAMED) },
  })

  /** Completes the steps that the run has left behind, or all of them at its end. */
  const settleSteps = (at: Step | null): readonly RuntimeProgress[] =>
    steps.flatMap((step) => {
      const ends = [...step.calls.values()]
      if (step.state !== 'begun' || step === at || ends.includes('runs')) return []
      step.state = ends.findLast((end) => end !== 'runs') ?? 'failed'
      return [stepProgress(step, step.state)]
    })

  let current: Step | null = null
  const recordCall = (call: RuntimeProgress): readonly RuntimeProgress[] => {
    const { node_id, status } = call
    let step = owners.get(node_id)
    const shown: RuntimeProgress[] = []
    if (step === undefined) {
      if (owners.size >= MOST_CALLS) return []
      const found = findStep(call)
      if (found === null || found.state === 'completed') return []
      step = found
      owners.set(node_id, step)
      current = step
      if (step.state !== 'begun') {
        step.state = 'begun'
        shown.push(stepProgress(step, 'started'))
      }
    }
    const isOver = status === 'completed' || status === 'failed' || status === 'skipped'
    step.calls.set(node_id, isOver ? status : 'runs')
    return [...shown, ...settleSteps(current)]
  }

  /** Completes the last step if the answer itself is what it asks for. */
  const completeLastStep = (): readonly RuntimeProgress[] => {
    const sinks = steps.filter(({ node }) => plan.edges.every(({ from }) => from !== node.id))
    const [last] = sinks
    if (last === undefined || sinks.length > 1 || last.state !== 'open' || answer.trim() === '') return []
    const isRest = steps.every((step) => step === last || step.state === 'completed')
    const text = answer.toLowerCase()
    const isAnswered = last.work === 'tell' || last.words.some((word) => containsWord(text, word))
    if (!isRest || !isAnswered || !isDoneByText(last)) return []
    last.state = 'completed'
    return [stepProgress(last, 'completed')]
  }

  return {
    take: (event) => {
      if (isOver) return []
      if (event.type === 'chunk') answer = (answer + event.delta).slice(-MOST_ANSWER)
      if (event.type === 'end' && event.outcome === 'completed')
        return [...settleSteps(null), ...completeLastStep()]
      if (event.type !== 'progress') return []
      // A runtime that reports steps knows more than can be inferred from outside.
      isOver =
        event.kind === 'plan' ||
        (event.kind === 'step' && steps.some(({ node }) => node.id === event.node_id))
      if (event.kind !== 'tool' || isOver) return []
      // Text before a call may only announce what the call does.
      if (event.status !== 'started' && event.status !== 'running') answer = ''
      return recordCall(event)
    },
  }
}
