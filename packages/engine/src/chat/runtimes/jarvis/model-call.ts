import { type Moa, slotCost, type TurnPart } from '@panoptes/engine/moa'
import type { ChatMessage, ChatPart, ChatReply, ModelError, Prices, Providers } from '@panoptes/engine/models'
import type { ErrorClass } from '@panoptes/schema'
import type { RuntimeProgress } from '../port.ts'
import type { Answerer } from './answerer.ts'
import type { CallUsage } from './call-usage.ts'

export interface ModelCaller {
  readonly providers: Providers
  readonly prices: Prices
  readonly moa: Moa
}

export interface ModelAsk {
  readonly answerer: Answerer
  readonly messages: readonly ChatMessage[]
  /** Tools and other request parameters. */
  readonly rest: Readonly<Record<string, unknown>>
  /** The conversation id. */
  readonly session: string
  /** No text is stored with the turn. */
  readonly isPrivate?: boolean | undefined
  readonly signal: AbortSignal
}

/** Ends with one `end` or one `failed`. */
export type CallPart =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'progress'; readonly progress: RuntimeProgress }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly spent: readonly CallUsage[] }
  | { readonly type: 'failed'; readonly error: ModelError; readonly spent: readonly CallUsage[] }

/** Calls one model, or several through a preset, with the same result type. */
export async function* callModel(caller: ModelCaller, ask: ModelAsk): AsyncGenerator<CallPart, undefined> {
  if ('preset' in ask.answerer) yield* callPreset(caller, ask, ask.answerer.preset)
  else yield* callSingleModel(caller, ask, ask.answerer)
}

async function* callSingleModel(
  { providers, prices }: ModelCaller,
  { messages, rest, session, signal }: ModelAsk,
  slot: { readonly provider: string; readonly model: string },
): AsyncGenerator<CallPart, undefined> {
  const provider = providers.get(slot.provider)
  if (!provider.ok) {
    yield { type: 'failed', error: createNotFoundError(provider.message), spent: [] }
    return
  }
  const startedAt = Date.now()
  const toUsage = (usage: CallUsage['usage'], error: ErrorClass | null): readonly CallUsage[] => [
    { ...slot, usage, error, costMicroUsd: slotCost({ prices, providers }, slot, usage, startedAt) },
  ]
  const words = new DeltaSplitter()
  for await (const part of provider.value.chat(
    { model: slot.model, messages, rest },
    { stream: true, signal, session },
  )) {
    if (part.type !== 'chunk') yield* words.end()
    if (part.type === 'chunk') yield* words.take(part)
    else if (part.type === 'end')
      yield { type: 'end', reply: part.reply, spent: toUsage(part.reply.usage, null) }
    else yield { type: 'failed', error: part.error, spent: toUsage(part.error.usage, part.error.class) }
  }
}

async function* callPreset(
  { moa }: ModelCaller,
  { messages, rest, session, signal, isPrivate }: ModelAsk,
  preset: string,
): AsyncGenerator<CallPart, undefined> {
  const ask = { messages, rest, stream: true }
  const turn = moa.run({ preset, session, from: 'chat', signal, isPrivate, ask })
  if (!turn.ok) {
    yield { type: 'failed', error: createNotFoundError(turn.message), spent: [] }
    return
  }
  const words = new DeltaSplitter()
  const nodes = createAdviceNodes()
  for await (const part of turn.value) {
    if (part.type === 'end' || part.type === 'failed') yield* words.end()
    if (part.type === 'chunk') yield* words.take(part)
    else if (part.type === 'end') yield { type: 'end', reply: part.reply, spent: listUsage(part, nodes) }
    else if (part.type === 'failed')
      yield { type: 'failed', error: part.error, spent: listUsage(part, nodes) }
    else for (const progress of nodes.progress(part)) yield { type: 'progress', progress }
  }
}

function listUsage(
  { call }: Extract<TurnPart, { type: 'end' | 'failed' }>,
  nodes: AdviceNodes,
): readonly CallUsage[] {
  const { advised, acted, turnId, iteration } = call
  const all = [
    ...advised.map((one, at) => ({ one, agent: nodes.nodeId(turnId, iteration, at) })),
    ...(acted ? [{ one: acted, agent: undefined }] : []),
  ]
  return all.map(({ one, agent }) => ({
    provider: one.slot.provider,
    model: one.slot.model,
    usage: one.usage,
    costMicroUsd: one.costMicroUsd,
    error: one.error?.class ?? null,
    agent,
  }))
}

/** Splits the deltas of an answer into text and thoughts. */
class DeltaSplitter {
  readonly #tags = new ThinkTags()
  /** Some models send their thoughts in two fields; the first one used counts. */
  #thinksIn: string | undefined;

  *take({ chunk }: Extract<ChatPart, { type: 'chunk' }>): Generator<CallPart> {
    const delta = chunk.choices.find(({ index }) => index === 0)?.delta ?? {}
    for (const field of ['reasoning_content', 'reasoning']) {
      const thought = delta[field]
      if (typeof thought !== 'string' || thought === '') continue
      this.#thinksIn ??= field
      if (this.#thinksIn === field) yield { type: 'reasoning', delta: thought }
    }
    for (const field of ['content', 'refusal']) {
      const text = delta[field]
      if (typeof text === 'string' && text !== '') yield* this.#tags.take(text)
    }
  }

  end(): readonly CallPart[] {
    return this.#tags.end()
  }
}

const createNotFoundError = (message: string): ModelError => ({
  class: 'not_found',
  message,
  status: null,
  partial: '',
  usage: null,
})

interface AdviceNodes {
  readonly nodeId: (turn: string, iteration: number, at: number) => string
  /** Translates a part of a turn into progress of a run. */
  readonly progress: (part: TurnPart) => readonly RuntimeProgress[]
}

/** Shows the references of a turn as agents that start and finish. */
function createAdviceNodes(): AdviceNodes {
  const began = new Map<string, number>()
  const labels = new Map<string, string>()
  return {
    nodeId: adviceNodeId,
    progress: (part) => {
      if (part.type === 'asking')
        return part.references.map(({ label, model }, at) => {
          const node_id = adviceNodeId(part.turn_id, part.iteration, at)
          began.set(node_id, performance.now())
          labels.set(node_id, label)
          return { type: 'progress', node_id, kind: 'subagent', status: 'started', label, detail: { model } }
        })
      if (part.type !== 'progress') return []
      const node_id = adviceNodeId(part.turn_id, part.iteration, part.at)
      const since = began.get(node_id)
      const isLeftOut = part.error === 'skipped' || part.error === 'aborted'
      return [
        {
          type: 'progress',
          node_id,
          kind: 'subagent',
          status: part.error === null ? 'completed' : isLeftOut ? 'skipped' : 'failed',
          label: labels.get(node_id) ?? part.label,
          detail: { done: part.refs_done, of: part.refs_total, ...(part.error ? { error: part.error } : {}) },
          ...(since === undefined ? {} : { elapsed_ms: performance.now() - since }),
        },
      ]
    },
  }
}

/** A short id that is unique within the conversation. */
const adviceNodeId = (turn: string, iteration: number, at: number): string =>
  `agent:ref-${turn.slice(0, 8)}-${iteration === 1 ? '' : `${iteration}-`}${at + 1}`

interface AnswerPiece {
  readonly type: 'text' | 'reasoning'
  readonly delta: string
}

const OPEN = /^\s*<(think|thinking|reasoning)>\s*/i
/** Text that may still become an opening tag. */
const MAY_OPEN =
  /^\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?|r(?:e(?:a(?:s(?:o(?:n(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?)?$/i
const LONGEST_GAP = 1_000

/**
 * Some models think aloud between tags before they answer. A tagged section at the very beginning
 * is not part of the answer.
 */
export class ThinkTags {
  #at: 'start' | 'thought' | 'gap' | 'text' = 'start'
  #held = ''
  #close = ''

  take(delta: string): readonly AnswerPiece[] {
    if (this.#at === 'text') return [{ type: 'text', delta }]
    this.#held += delta
    if (this.#at === 'start') return this.#start()
    return this.#at === 'thought' ? this.#thought() : this.#gap()
  }

  /** Flushes the rest at the end of the stream. */
  end(): readonly AnswerPiece[] {
    if (this.#at === 'gap') return []
    return this.#emit(this.#at === 'thought' ? 'reasoning' : 'text', this.#held.length)
  }

  #start(): readonly AnswerPiece[] {
    const opened = OPEN.exec(this.#held)
    if (opened === null) {
      const mayOpen = MAY_OPEN.test(this.#held) && this.#held.length < LONGEST_GAP
      return mayOpen ? [] : this.#speak()
    }
    this.#close = `</${String(opened[1]).toLowerCase()}>`
    this.#held = this.#held.slice(opened[0].length)
    this.#at = 'thought'
    return this.#thought()
  }

  #thought(): readonly AnswerPiece[] {
    const end = this.#held.toLowerCase().indexOf(this.#close)
    if (end < 0) return this.#emit('reasoning', Math.max(0, this.#held.length - this.#close.length + 1))
    const thought = this.#emit('reasoning', end)
    this.#held = this.#held.slice(this.#close.length)
    this.#at = 'gap'
    return [...thought, ...this.#gap()]
  }

  #gap(): readonly AnswerPiece[] {
    this.#held = this.#held.trimStart()
    return this.#held === '' ? [] : this.#speak()
  }

  #speak(): readonly AnswerPiece[] {
    this.#at = 'text'
    return this.#emit('text', this.#held.length)
  }

  #emit(type: AnswerPiece['type'], length: number): readonly AnswerPiece[] {
    const delta = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return delta === '' ? [] : [{ type, delta }]
  }
}
