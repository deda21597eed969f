import type { ChatMessage, ChatReply, ModelError } from '@panoptes/engine/models'
import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'
import { type Answerer, answererName } from './answerer.ts'
import { type CallUsage, toChatUsage } from './call-usage.ts'
import { callModel, type ModelCaller } from './model-call.ts'
import { type ReasoningBudget, Thoughts } from './reasoning.ts'
import { readCalls } from './tools/calls.ts'
import type { Toolbox } from './tools/toolbox.ts'

export interface LoopOptions {
  readonly caller: ModelCaller
  readonly answerer: Answerer
  readonly session: string
  readonly isPrivate?: boolean | undefined
  readonly messages: readonly ChatMessage[]
  readonly toolbox: Toolbox
  /** Models that do not support tools. */
  readonly toolless: Set<string>
  readonly signal: AbortSignal
  readonly tell: (event: RuntimeEvent) => void
  /** Called with each delta of the answer. */
  readonly say: (delta: string) => void
  /** The agent that runs the loop, if it is not the answerer. */
  readonly agent?: string | undefined
  readonly mark: string
  /** Shared by the thoughts of the whole run. */
  readonly room: ReasoningBudget
  readonly most?: number | undefined
}

export interface LoopResult {
  readonly text: string
  readonly outcome: 'completed' | 'length'
  readonly error: ModelError | null
  readonly spent: readonly CallUsage[]
}

const MOST_CALLS = 40

/** Asks a model until it makes no more calls; runs its calls and returns their results to it. */
export async function runLoop(options: LoopOptions): Promise<LoopResult> {
  const { toolbox, agent, most = MOST_CALLS } = options
  const spent: CallUsage[] = []
  const voice = createParagraphWriter(options.say)
  let messages = options.messages
  for (let count = 1; ; count += 1) {
    const isLast = count >= most
    const outcome = await askOnce(options, messages, { count, isLast, voice })
    spent.push(...outcome.spent)
    if (outcome.error) return { text: voice.text(), outcome: 'completed', error: outcome.error, spent }
    const { calls, message } = readCalls(outcome.reply.message)
    const isOver = calls.length === 0 || isLast || outcome.reply.finish_reason === 'length'
    if (isOver) {
      const isCut = outcome.reply.finish_reason === 'length' || calls.length > 0
      return { text: voice.text(), outcome: isCut ? 'length' : 'completed', error: null, spent }
    }
    messages = [...messages, message, ...(await toolbox.run(calls, agent))]
    voice.pause()
  }
}

interface ParagraphWriter {
  readonly write: (delta: string) => void
  readonly pause: () => void
  readonly text: () => string
}

/** Text after a tool becomes a paragraph of its own. */
function createParagraphWriter(say: (delta: string) => void): ParagraphWriter {
  const plain = new PlainText()
  let text = ''
  let isParted = false
  return {
    text: () => text,
    pause: () => {
      isParted = text !== ''
    },
    write: (delta) => {
      const clean = plain.take(delta)
      if (clean === '') return
      const gap = isParted && !text.endsWith('\n') && !clean.startsWith('\n') ? '\n\n' : ''
      isParted = false
      text += gap + clean
      say(gap + clean)
    },
  }
}

type CallOutcome =
  | { readonly error: null; readonly reply: ChatReply; readonly spent: readonly CallUsage[] }
  | { readonly error: ModelError; readonly spent: readonly CallUsage[] }

interface Turn {
  readonly count: number
  readonly isLast: boolean
  readonly voice: ParagraphWriter
}

/** Makes one call, and repeats it without tools if the model does not support them. */
async function askOnce(
  options: LoopOptions,
  messages: readonly ChatMessage[],
  turn: Turn,
): Promise<CallOutcome> {
  const { answerer, toolless, toolbox } = options
  const name = answererName(answerer)
  const isOffered = toolbox.definitions.length > 0 && !toolless.has(name)
  const outcome = await ask(options, messages, turn, isOffered)
  if (!isOffered || turn.count > 1 || outcome.error === null || !rejectsTools(outcome.error)) return outcome
  toolless.add(name)
  return ask(options, messages, turn, false)
}

const rejectsTools = ({ class: kind, message, partial }: ModelError): boolean =>
  (kind === 'invalid' || kind === 'not_found') && partial === '' && /\b(?:tools?|functions?)\b/i.test(message)

async function ask(
  { caller, answerer, session, isPrivate, toolbox, signal, tell, agent, mark, room }: LoopOptions,
  messages: readonly ChatMessage[],
  { count, isLast, voice }: Turn,
  withTools: boolean,
): Promise<CallOutcome> {
  const thoughts = new Thoughts(tell, { prefix: `${mark}-${count}-`, parent: agent, room })
  const rest = withTools ? { tools: toolbox.definitions, ...(isLast ? { tool_choice: 'none' } : {}) } : {}
  const reportUsage = (spent: readonly CallUsage[]) => {
    thoughts.end()
    for (const [at, one] of spent.entries()) tellUsage(tell, one, `usage-${mark}-${count}-${at + 1}`, agent)
    return spent
  }
  for await (const part of callModel(caller, { answerer, messages, rest, session, signal, isPrivate })) {
    if (part.type === 'text') {
      thoughts.end()
      voice.write(part.delta)
    } else if (part.type === 'reasoning') thoughts.take(part.delta)
    else if (part.type === 'progress') tell(agent ? { ...part.progress, parent_id: agent } : part.progress)
    else if (part.type === 'end') return { error: null, reply: part.reply, spent: reportUsage(part.spent) }
    else return { error: part.error, spent: reportUsage(part.spent) }
  }
  return { error: BROKEN, spent: reportUsage([]) }
}

const BROKEN: ModelError = {
  class: 'network',
  message: 'The answer was cut off.',
  status: null,
  partial: '',
  usage: null,
}

function tellUsage(
  tell: LoopOptions['tell'],
  { provider, model, usage, costMicroUsd, agent }: CallUsage,
  node_id: string,
  parent: string | undefined,
): void {
  if (usage === null) return
  const of = agent ?? parent
  tell({
    type: 'progress',
    node_id,
    ...(of === undefined ? {} : { parent_id: of }),
    kind: 'usage',
    status: 'completed',
    label: `${provider}/${model}`,
    detail: { provider, model, ...toChatUsage(usage), cost_micro_usd: costMicroUsd },
  })
}
