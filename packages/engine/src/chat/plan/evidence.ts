import { significantWords } from '@panoptes/engine/store'
import type { PlanNode, TaskGraph } from '@panoptes/schema'
import type { RuntimeEvent, RuntimeProgress } from '../runtimes/port.ts'
import { commandText } from './clauses.ts'
import type { Work } from './languages.ts'
import { classifyWork } from './patterns.ts'

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

/** The kinds of work a tool can do, by its name. A name that says nothing may do any kind. */
const TOOL_WORK: readonly (readonly [RegExp, ReadonlySet<Work>])[] = [
  [
    /write|edit|patch|replace|create|update|delete|remove|move|rename|insert|remember|save/i,
    new Set(['change', 'make']),
  ],
  [/bash|shell|terminal|exec|run|command|process|python/i, new Set(['run', 'look'])],
  [
    /read|view|cat|open|list|ls|get|show|search|grep|glob|find|fetch|load|browse|query/i,
    new Set(['look', 'study']),
  ],
]
const MOST_CALLS = 2_000
const MOST_INPUT = 8_000
const MOST_ANSWER = 40_000
const MOST_NAMED = 20

interface Step {
  readonly node: PlanNode
  readonly work: Work | null
  readonly words: readonly string[]
  /** The calls that belong to the step and the state of each. */
  readonly calls: Map<string, 'runs' | 'completed' | 'failed'>
  state: 'open' | 'begun' | 'completed' | 'failed'
}

export function planEvidence(plan: TaskGraph): PlanEvidence {
  const steps = plan.nodes.map((node): Step => {
    const command = commandText(node.label)
    return { node, work: classifyWork(command), words: objectWords(command), calls: new Map(), state: 'open' }
  })
  const owners = new Map<string, Step>()
  let isOver = steps.length < 2
  let answer = ''

  const belongsTo = ({ label, detail }: RuntimeProgress): Step | null => {
    const { name, input, files } = toFields(detail)
    const kinds = TOOL_WORK.find(([names]) => names.test(String(name ?? label)))?.[1]
    const able = steps.filter(({ work }) => work === null || kinds === undefined || kinds.has(work))
    const text = `${label} ${JSON.stringify(input ?? '')} ${JSON.stringify(files ?? '')}`
      .slice(0, MOST_INPUT)
      .toLowerCase()
    const scored = able
      .map((step) => ({
        step,
        score: step.words.filter(
          (word) => able.every((one) => one === step || !one.words.includes(word)) && names(text, word),
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
  const settled = (at: Step | null): readonly RuntimeProgress[] =>
    steps.flatMap((step) => {
      const ends = [...step.calls.values()]
      if (step.state !== 'begun' || step === at || ends.includes('runs')) return []
      step.state = ends.at(-1) === 'completed' ? 'completed' : 'failed'
      return [stepProgress(step, step.state)]
    })

  let current: Step | null = null
  const called = (call: RuntimeProgress): readonly RuntimeProgress[] => {
    const { node_id, status } = call
    let step = owners.get(node_id)
    const shown: RuntimeProgress[] = []
    if (step === undefined) {
      if (owners.size >= MOST_CALLS) return []
      const found = belongsTo(call)
      if (found === null || found.state === 'completed') return []
      step = found
      owners.set(node_id, step)
      current = step
      if (step.state !== 'begun') {
        step.state = 'begun'
        shown.push(stepProgress(step, 'started'))
      }
    }
    const isDone = status === 'completed' || status === 'failed' || status === 'skipped'
    step.calls.set(node_id, isDone ? (status === 'completed' ? 'completed' : 'failed') : 'runs')
    return [...shown, ...settled(current)]
  }

  /** Completes the last step if the answer itself is what it asks for. */
  const answered = (): readonly RuntimeProgress[] => {
    const sinks = steps.filter(({ node }) => plan.edges.every(({ from }) => from !== node.id))
    const [last] = sinks
    if (last === undefined || sinks.length > 1 || last.state !== 'open' || answer.trim() === '') return []
    const isRest = steps.every((step) => step === last || step.state === 'completed')
    const text = answer.toLowerCase()
    const isAnswered = last.work === 'tell' || last.words.some((word) => names(text, word))
    if (!isRest || !isAnswered || !WORDS.has(last.work ?? 'run')) return []
    last.state = 'completed'
    return [stepProgress(last, 'completed')]
  }

  return {
    take: (event) => {
      if (isOver) return []
      if (event.type === 'chunk') answer = (answer + event.delta).slice(-MOST_ANSWER)
      if (event.type === 'end' && event.outcome === 'completed') return [...settled(null), ...answered()]
      if (event.type !== 'progress') return []
      // A runtime that reports steps knows more than can be inferred from outside.
      isOver =
        event.kind === 'plan' ||
        (event.kind === 'step' && steps.some(({ node }) => node.id === event.node_id))
      if (event.kind !== 'tool' || isOver) return []
      // Text before a call may only announce what the call does.
      if (event.status !== 'started' && event.status !== 'running') answer = ''
      return called(event)
    },
  }
}

/** Work whose result is, or may be, only text. */
const WORDS: ReadonlySet<Work> = new Set(['tell', 'study', 'make'])

/** Returns the words of a step without its verb, which say what the step is about. */
function objectWords(command: string): readonly string[] {
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(command)
  return significantWords(isSpaced ? command.replace(/^\S+\s*/, '') : command)
}

/** True if a text contains a word in any inflection: both start with the same letters. */
function names(text: string, word: string): boolean {
  const stem = /^[\p{Script=Latin}\p{Script=Cyrillic}]{5,}$/u.test(word)
    ? word.slice(0, Math.max(4, word.length - 2))
    : word
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\d]/u.test(stem)
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1))
    if (!isSpaced || !/[\p{L}\d]/u.test(text[at - 1] ?? ' ')) return true
  return false
}

const toFields = (detail: unknown): Readonly<Record<string, unknown>> =>
  typeof detail === 'object' && detail !== null ? (detail as Readonly<Record<string, unknown>>) : {}
