import type { Result } from '@panoptes/schema'
import { labelOf } from '../bounded.ts'
import { failedWith } from '../failed.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { unlessStopped } from '../stopped.ts'
import { type Answerer, nameOf } from './answerer.ts'
import { branchesOf } from './branches.ts'
import { type LoopOptions, runLoop } from './loop.ts'
import type { McpServers, MissingServer } from './mcp/servers.ts'
import { messagesOf } from './messages.ts'
import type { ModelCaller } from './model-call.ts'
import { failureOf, notConfigured } from './model-errors.ts'
import { thoughtRoom } from './reasoning.ts'
import { workSideBySide } from './side-by-side.ts'
import { type Spent, sumOf } from './spent.ts'
import { Allowances, type Granted } from './tools/granted.ts'
import type { JarvisTool } from './tools/port.ts'
import { Toolbox } from './tools/toolbox.ts'

export interface Answering {
  readonly caller: ModelCaller
  readonly chosen: (model: string | null) => Promise<Result<Answerer>>
  readonly ownTools: readonly JarvisTool[]
  readonly servers: McpServers
  readonly granted: Granted
  readonly toolless: Set<string>
}

export interface AnswerContext extends RunContext {
  readonly tell: (event: RuntimeEvent) => void
}

/** Answers one message. It never throws, and tells one end. */
export async function answer(
  answering: Answering,
  request: RuntimeRequest,
  context: AnswerContext,
): Promise<void> {
  try {
    context.tell(await ended(answering, request, context))
  } catch (error) {
    context.tell(failedWith('internal', error instanceof Error ? error.message : 'It broke off.'))
  }
}

async function ended(
  answering: Answering,
  request: RuntimeRequest,
  context: AnswerContext,
): Promise<RuntimeEvent> {
  const { signal, tell } = context
  const [who, served] = await Promise.all([
    unlessStopped(answering.chosen(request.model), signal),
    answering.servers.tools(signal),
  ])
  if (who === null || signal.aborted) return { type: 'end', outcome: 'cancelled' }
  if (!who.ok) return notConfigured(who.message)
  const name = nameOf(who.value)
  tell({ type: 'model', model: name })
  for (const missing of served.missing) tell(withoutServer(missing, markOf(request.run_id)))
  const allowances = new Allowances(answering.granted, request.conversation_id, request.continuity)
  const toolbox = new Toolbox({
    tools: [...answering.ownTools, ...served.tools],
    allowances,
    folder: request.folder,
    owner: request.owner,
    mark: markOf(request.run_id),
    context,
    tell,
    secrets: answering.caller.providers.secrets,
  })
  let hasBegun = false
  const options: LoopOptions = {
    caller: answering.caller,
    answerer: who.value,
    session: request.conversation_id,
    isPrivate: request.isPrivate,
    messages: messagesOf(request),
    toolbox,
    toolless: answering.toolless,
    signal,
    tell,
    mark: markOf(request.run_id),
    room: thoughtRoom(),
    say: (delta) => {
      hasBegun = true
      tell({ type: 'chunk', delta })
    },
  }
  const looped = await answered(options, request)
  if (toolbox.called.length > 0)
    tell({ type: 'attachment', attachment: { kind: 'tools', title: 'Tools', data: [...toolbox.called] } })
  const sum = sumOf(looped.spent)
  if (signal.aborted) return { type: 'end', outcome: 'cancelled', ...sum }
  if (looped.error) return { ...failureOf(looped.error, { name, hasBegun }), ...sum }
  return { type: 'end', outcome: looped.outcome, continuity: goingOn(name, allowances), ...sum }
}

/** What Jarvis needs to go on: nothing but what was allowed for good, since all that was said is told anew. */
const goingOn = (model: string, { always }: Allowances) => ({
  model,
  ...(always.length === 0 ? {} : { allowed: always }),
})

const withoutServer = ({ server, message }: MissingServer, mark: string): RuntimeEvent => ({
  type: 'progress',
  node_id: `server-${mark}-${labelOf(server, 'unnamed')}`,
  kind: 'step',
  status: 'skipped',
  label: labelOf(`MCP server ${server}`, 'MCP server'),
  detail: { server: labelOf(server, 'unnamed'), problem: message },
})

/** Directly, or by the branches of the plan where it says that they are worth it. */
async function answered(options: LoopOptions, { plan }: RuntimeRequest) {
  const { tell, signal } = options
  const branches = branchesOf(plan)
  if (branches === null) {
    const looped = await runLoop(options)
    if (!looped.error && looped.outcome === 'completed' && !signal.aborted)
      for (const { id, label } of plan.nodes) tell(doneStep(id, label))
    return looped
  }
  const { messages, spent, parts } = await workSideBySide(options, branches)
  if (signal.aborted) return { text: '', outcome: 'completed' as const, error: null, spent }
  const last = branches.last && {
    ...{ type: 'progress' as const, kind: 'step' as const, parent_id: 'plan' },
    node_id: branches.last.id,
    label: branches.last.label,
  }
  if (last) tell({ ...last, status: 'started' })
  const began = performance.now()
  // Where nothing came of any part, the request is answered as if there had been no plan.
  const isLost = parts.every(({ text }) => text === '')
  const joined = await runLoop({ ...options, messages: isLost ? options.messages : messages })
  if (last)
    tell({ ...last, status: joined.error ? 'failed' : 'completed', elapsed_ms: performance.now() - began })
  const all: readonly Spent[] = [...spent, ...joined.spent]
  return { ...joined, spent: all }
}

/** Steps one after the other are all in the one answer: they are done when it is. */
const doneStep = (node_id: string, label: string): RuntimeEvent => ({
  type: 'progress',
  node_id,
  parent_id: 'plan',
  kind: 'step',
  status: 'completed',
  label: labelOf(label, node_id),
})

/** Short, and nobody else's in the conversation. */
const markOf = (run: string): string => run.replace(/^run-/, '').slice(0, 8)
