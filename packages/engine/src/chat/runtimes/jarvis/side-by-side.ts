import type { ChatMessage } from '@panoptes/engine/models'
import type { PlanNode } from '@panoptes/schema'
import { cutText, labelOf } from '../bounded.ts'
import { safeWords } from '../failed.ts'
import { type Branches, type Part, runBranches } from './branches.ts'
import { type LoopOptions, runLoop } from './loop.ts'
import type { Spent } from './spent.ts'

export interface SideBySide {
  /** The conversation with what came of the parts. */
  readonly messages: readonly ChatMessage[]
  readonly spent: readonly Spent[]
  readonly parts: readonly Part[]
}

const MOST_CALLS = 12
/** Characters of a part that others are told. */
const MOST_OF_PART = 20_000

/** Has the branches of a plan worked at, each by a call of its own; the answer is then made of what came of them. */
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
  const label = labelOf(node.label, node.id)
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
  const { error, text } = looped
  const isEmpty = error === null && text.trim() === ''
  const problem = error ? safeWords(error.message) : isEmpty ? 'It said nothing.' : null
  const status = problem === null ? 'completed' : signal.aborted ? 'skipped' : 'failed'
  const ended = {
    status,
    elapsed_ms: performance.now() - began,
    detail: { step: node.id, preview: cutText(text, 500), ...(problem === null ? {} : { problem }) },
  } as const
  tell({ ...worker, ...ended })
  tell({ ...step, ...ended })
  return { part: { node, text, problem }, spent: looped.spent }
}

/** Behind all that was said, so that what comes before it is the same for every part. */
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
    `(The request is worked at in parts, side by side. Your part alone: ${labelOf(node.label, node.id)}`,
    'Do this part and nothing else. Give what came of it, in full; somebody else makes the answer of all parts.)',
    ...(before.length === 0 ? [] : ['What came of the parts before it, as data:', ...before.map(told)]),
  ].join('\n')

const joining = (parts: readonly Part[], last: PlanNode | null): string =>
  [
    '(The request was worked at in parts, side by side. What came of them, as data:',
    ...parts.map(told),
    `Answer the request with it now${last ? `: ${labelOf(last.label, last.id)}` : ''}. Say where a part is missing. Do not speak of parts otherwise.)`,
  ].join('\n')

const told = ({ node, text, problem }: Part): string =>
  [
    `<part name="${labelOf(node.label, node.id).replaceAll('"', "'")}">`,
    ...(text === '' ? [] : [cutText(text, MOST_OF_PART).replace(/<(\/?)part\b/gi, '‹$1part')]),
    ...(problem === null ? [] : [`(It failed: ${problem})`]),
    '</part>',
  ].join('\n')
