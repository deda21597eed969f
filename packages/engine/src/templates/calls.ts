import type { ContentBlock, Message } from '@panoptes/schema'
import { type Fields, toNamedArguments } from './fields.ts'
import { hasFailed } from './success/index.ts'
import { type OwnTools, toolKind } from './tool-kinds.ts'

/**
 * How much of a session a template is made from. A turn is one reply of the session's main agent.
 */
export const TURNS = 30

type ToolCallBlock = Extract<ContentBlock, { type: 'tool_call' }>
type ToolResultBlock = Extract<ContentBlock, { type: 'tool_result' }>

/** A call and its result, if there is one. */
interface Call {
  readonly tool: string
  readonly input: unknown
  readonly result: ToolResultBlock | undefined
}

export interface PairedCalls {
  readonly turns: number
  /** The calls in the order they were made. */
  readonly calls: readonly Call[]
}

interface OpenCall {
  readonly called: ToolCallBlock
  result?: ToolResultBlock
}

/** Calls with one id in one turn that have no result yet, from an index on. */
interface PendingCalls {
  readonly turn: number
  readonly open: OpenCall[]
  next: number
}

/** A successful call that can be shown. */
interface SuccessfulCall {
  readonly tool: string
  readonly input: Fields
  readonly result: NonNullable<Call['result']>
}

interface JudgedCalls {
  readonly failed: readonly Call[]
  readonly worked: readonly SuccessfulCall[]
}

/** These agents report the exit code of commands. */
const SURE: ReadonlySet<string> = new Set(['codex', 'opencode'])

/** Returns the calls of the first turns, each with the result that names it. */
export function pairCalls(messages: readonly Message[], most = TURNS): PairedCalls {
  const made: OpenCall[] = []
  const waiting = new Map<string, PendingCalls>()
  let turns = 0
  for (const message of messages) {
    if (!isCounted(message)) continue
    if (message.role === 'assistant') {
      if (turns === most) break
      turns += 1
    }
    for (const block of message.content) {
      if (block.type === 'tool_result') addResult(waiting.get(block.id), block)
      if (block.type !== 'tool_call' || message.role !== 'assistant') continue
      const open: OpenCall = { called: block }
      made.push(open)
      addPending(waiting, open, turns)
    }
  }
  return {
    turns,
    calls: made.map(({ called, result }) => ({ tool: called.tool, input: called.input, result })),
  }
}

const isCounted = ({ agent_id, state }: Message): boolean =>
  agent_id === 'main' && state !== 'rewound' && state !== 'summary'

/** Some models repeat ids in every reply; a result then belongs to the newest call. */
function addPending(waiting: Map<string, PendingCalls>, open: OpenCall, turn: number): void {
  const same = waiting.get(open.called.id)
  if (same?.turn === turn) same.open.push(open)
  else waiting.set(open.called.id, { turn, open: [open], next: 0 })
}

function addResult(waiting: PendingCalls | undefined, result: ToolResultBlock): void {
  const open = waiting?.open[waiting.next]
  if (waiting === undefined || open === undefined) return
  open.result = result
  waiting.next += 1
}

/**
 * Judges calls. A call without named input, such as a bare number, shows nobody how to call the
 * tool.
 */
export function judgeCalls(calls: readonly Call[], source: string, own: OwnTools | undefined): JudgedCalls {
  const failed: Call[] = []
  const worked: SuccessfulCall[] = []
  for (const call of calls) {
    const { tool, result } = call
    if (result === undefined) continue
    if (hasFailed(result, { kind: toolKind(tool, own), isSure: SURE.has(source) })) {
      failed.push(call)
      continue
    }
    const input = toNamedArguments(call.input)
    if (input) worked.push({ tool, input, result })
  }
  return { failed, worked }
}
