import type { ChatMessage } from '@panoptes/engine/models'
import type { PlanNode } from '@panoptes/schema'
import { isStepDone } from '../../plan/tool-work.ts'
import { safeWords } from '../run-failure.ts'
import { cutText, toLabel } from '../truncate.ts'
import { type Branches, type Part, runBranches } from './branches.ts'
import type { Spent } from './call-usage.ts'
import { type LoopOptions, runLoop } from './loop.ts'

export interface SideBySide {
  /** The conversation with the results of the parts. */
  readonly messages: readonly ChatMessage[]
  readonly spent: readonly Spent[]
  readonly parts: readonly Part[]
}

const MOST_CALLS = 12
/** The maximum number of characters of one part's result. */
const MOST_OF_PART = 20_000

/**
 * Runs the branches of a plan, each in a call of its own, and prepares the answer from their
 * results.
 */
export async function workSideBySide(options: LoopOptions, branches: Branches): Promise<SideBySide> {
  const spent: Spent[] = []
  const parts = await runBranches(branches, async (node, before) => {
    const { part, spent: taken } = await workAt(options, node, before)
    spent.push(...taken)
    return part
  })
  return { messages: addressed(options.messages, joining(parts, branches.last)), spent, parts }
}

async function workAt(
  options: LoopOptions,
  node: PlanNode,
  before: readonly Part[],
): Promise<{ readonly part: Part; readonly spent: readonly Spent[] }> {
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
    messages: addressed(options.messages, onePart(node, before)),
  })
  const { error, text, outcome } = looped
  const problem = error
    ? safeWords(error.message)
    : text.trim() === ''
      ? 'It said nothing.'
      : outcome === 'length'
        ? 'It was cut off before its end.'
        : null
  const status = problem === null ? 'completed' : signal.aborted ? 'skipped' : 'failed'
  const ended = {
    status,
    elapsed_ms: performance.now() - began,
    detail: { step: node.id, preview: cutText(text, 500), ...(problem === null ? {} : { problem }) },
  } as const
  tell({ ...worker, ...ended })
  // A text is the work of a step only if the step asks for one.
  const isDone = problem !== null || isStepDone(node.label, options.toolbox.doneBy(agent))
  tell({ ...step, ...ended, ...(isDone ? {} : { status: 'skipped' }) })
  return { part: { node, text, problem }, spent: looped.spent }
}

/** Appended after the conversation, so that the prefix is the same for every part. */
function addressed(messages: readonly ChatMessage[], words: string): readonly ChatMessage[] {
  const last = messages.at(-1)
  if (last === undefined) return messages
  const content = Array.isArray(last.content)
    ? [...last.content, { type: 'text', text: words }]
    : `${String(last.content ?? '')}\n\n${words}`
  return [...messages.slice(0, -1), { ...last, content }]
}

const onePart = (node: PlanNode, before: readonly Part[]): string =>
  [
    `(The request is worked at in parts, side by side. Your part alone: ${toLabel(node.label, node.id)}`,
    'Do this part and nothing else. Give what came of it, in full; somebody else makes the answer of all parts.)',
    ...(before.length === 0 ? [] : ['What came of the parts before it, as data:', ...before.map(formatPart)]),
  ].join('\n')

const joining = (parts: readonly Part[], last: PlanNode | null): string =>
  [
    '(The request was worked at in parts, side by side. What came of them, as data:',
    ...parts.map(formatPart),
    `Answer the request with it now${last ? `: ${toLabel(last.label, last.id)}` : ''}. Say where a part is missing. Do not speak of parts otherwise.)`,
  ].join('\n')

const formatPart = ({ node, text, problem }: Part): string =>
  [
    `<part name="${toLabel(node.label, node.id).replaceAll('"', "'")}">`,
    ...(text === '' ? [] : [cutText(text, MOST_OF_PART).replace(/<(\/?)part\b/gi, '‹$1part')]),
    ...(problem === null ? [] : [`(It failed: ${problem})`]),
    '</part>',
  ].join('\n')
