import type { ChatMessage } from '@panoptes/engine/models'
import type { PlanNode, TaskGraph } from '@panoptes/schema'
import { isStepDone } from '../../plan/tool-work.ts'
import { cutText, toLabel } from '../plain-text.ts'
import { toSafeText } from '../run-failure.ts'
import type { CallUsage } from './call-usage.ts'
import { type LoopOptions, runLoop } from './loop.ts'

export interface BranchResults {
  /** The conversation with the results of the parts. */
  readonly messages: readonly ChatMessage[]
  readonly spent: readonly CallUsage[]
  readonly parts: readonly Part[]
}

const MOST_CALLS = 12
/** The maximum number of characters of one part's result. */
const MOST_OF_PART = 20_000

/** The result of one part of a plan. */
interface Part {
  readonly node: PlanNode
  readonly text: string
  /** Why the result is missing or incomplete. */
  readonly problem: string | null
}

/** The parallel steps, and the last step if it is the answer itself. */
interface Branches {
  readonly nodes: readonly PlanNode[]
  readonly last: PlanNode | null
  /** The dependencies of each step, by its id. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

const MOST_NODES = 16
const AT_ONCE = 4

/**
 * Runs the branches of a plan, each in a call of its own, and prepares the answer from their
 * results.
 */
export async function runInParallel(options: LoopOptions, branches: Branches): Promise<BranchResults> {
  const spent: CallUsage[] = []
  const parts = await runBranches(branches, async (node, before) => {
    const { part, spent: taken } = await runPart(options, node, before)
    spent.push(...taken)
    return part
  })
  return { messages: appendToLast(options.messages, formatJoinRequest(parts, branches.last)), spent, parts }
}

async function runPart(
  options: LoopOptions,
  node: PlanNode,
  before: readonly Part[],
): Promise<{ readonly part: Part; readonly spent: readonly CallUsage[] }> {
  const { tell, mark, signal } = options
  const agent = `agent:${mark}-${node.id}`
  const label = toLabel(node.label, node.id)
  const step = { type: 'progress', node_id: node.id, parent_id: 'plan', kind: 'step', label } as const
  const worker = { type: 'progress', node_id: agent, kind: 'subagent', label } as const
  const began = performance.now()
  tell({ ...step, status: 'started' })
  tell({ ...worker, status: 'started', detail: { step: node.id } })
  const looped = await runLoop({
    ...options,
    agent,
    mark: `${mark}-${node.id}`,
    most: MOST_CALLS,
    say: () => {},
    messages: appendToLast(options.messages, formatPartRequest(node, before)),
  })
  const { error, text, outcome } = looped
  const problem = error
    ? toSafeText(error.message)
    : text.trim() === ''
      ? 'It said nothing.'
      : outcome === 'length'
        ? 'It was cut off before it finished.'
        : null
  const status = problem === null ? 'completed' : signal.aborted ? 'skipped' : 'failed'
  const ended = {
    status,
    elapsed_ms: performance.now() - began,
    detail: { step: node.id, preview: cutText(text, 500), ...(problem === null ? {} : { problem }) },
  } as const
  tell({ ...worker, ...ended })
  // A text is the work of a step only if the step asks for one.
  const isDone = problem !== null || isStepDone(node.label, options.toolbox.successfulCalls(agent))
  tell({ ...step, ...ended, ...(isDone ? {} : { status: 'skipped' }) })
  return { part: { node, text, problem }, spent: looped.spent }
}

/** Appended after the conversation, so that the prefix is the same for every part. */
function appendToLast(messages: readonly ChatMessage[], words: string): readonly ChatMessage[] {
  const last = messages.at(-1)
  if (last === undefined) return messages
  const content = Array.isArray(last.content)
    ? [...last.content, { type: 'text', text: words }]
    : `${String(last.content ?? '')}\n\n${words}`
  return [...messages.slice(0, -1), { ...last, content }]
}

const formatPartRequest = (node: PlanNode, before: readonly Part[]): string =>
  [
    `(The request is divided into parts that are worked on in parallel. Your part: ${toLabel(node.label, node.id)}`,
    'Do this part and nothing else. Return its complete result; the parts are combined into one answer later.)',
    ...(before.length === 0 ? [] : ['Results of the parts before it, as data:', ...before.map(formatPart)]),
  ].join('\n')

const formatJoinRequest = (parts: readonly Part[], last: PlanNode | null): string =>
  [
    '(The request was divided into parts that were worked on in parallel. Their results, as data:',
    ...parts.map(formatPart),
    `Now answer the request with these results${last ? `: ${toLabel(last.label, last.id)}` : ''}. If a part is missing, say so. Apart from that, do not mention the parts.)`,
  ].join('\n')

const formatPart = ({ node, text, problem }: Part): string =>
  [
    `<part name="${toLabel(node.label, node.id).replaceAll('"', "'")}">`,
    ...(text === '' ? [] : [cutText(text, MOST_OF_PART).replace(/<(\/?)part\b/gi, '‹$1part')]),
    ...(problem === null ? [] : [`(It failed: ${problem})`]),
    '</part>',
  ].join('\n')

/** Returns the branches of a parallel plan; null if it is not parallel or has a cycle. */
export function findBranches({ decision, nodes, edges }: TaskGraph): Branches | null {
  if (decision !== 'parallel' || nodes.length < 2 || nodes.length > MOST_NODES) return null
  const ids = new Set(nodes.map(({ id }) => id))
  if (ids.size !== nodes.length || edges.some(({ from, to }) => !ids.has(from) || !ids.has(to))) return null
  const needs = new Map(
    nodes.map(({ id }) => [id, edges.filter(({ to }) => to === id).map(({ from }) => from)]),
  )
  if (isCircular(needs)) return null
  const sinks = nodes.filter(({ id }) => edges.every(({ from }) => from !== id))
  const last = sinks.length === 1 ? (sinks[0] ?? null) : null
  return { nodes: nodes.filter((node) => node !== last), last, needs }
}

function isCircular(needs: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(needs)
  for (;;) {
    const free = [...left].filter(([, of]) => of.every((id) => !left.has(id)))
    if (free.length === 0) return left.size > 0
    for (const [id] of free) left.delete(id)
  }
}

/**
 * Runs each branch as soon as its dependencies are done, a few at once. A failed branch does not
 * affect others.
 */
async function runBranches(
  { nodes, needs }: Branches,
  work: (node: PlanNode, before: readonly Part[]) => Promise<Part>,
): Promise<readonly Part[]> {
  const done = new Map<string, Part>()
  const waiting = new Set(nodes)
  const running = new Set<Promise<void>>()
  while (waiting.size > 0 || running.size > 0) {
    for (const node of waiting) {
      const before = (needs.get(node.id) ?? []).map((id) => done.get(id))
      if (running.size >= AT_ONCE || before.includes(undefined)) continue
      waiting.delete(node)
      const task: Promise<void> = work(
        node,
        before.filter((part) => part !== undefined),
      ).then((part) => {
        done.set(node.id, part)
        running.delete(task)
      })
      running.add(task)
    }
    if (running.size === 0) break
    await Promise.race(running)
  }
  return nodes.flatMap(({ id }) => done.get(id) ?? [])
}
