import { costOf, type Moa, type TurnPart } from '@panoptes/engine/moa'
import type { ChatMessage, ChatPart, ChatReply, ModelError, Prices, Providers } from '@panoptes/engine/models'
import type { ErrorClass } from '@panoptes/schema'
import type { RuntimeProgress } from '../port.ts'
import { type AdviceNodes, adviceNodes } from './advice-nodes.ts'
import type { Answerer } from './answerer.ts'
import type { Spent } from './spent.ts'
import { ThinkTags } from './think-tags.ts'

export interface ModelCaller {
  readonly providers: Providers
  readonly prices: Prices
  readonly moa: Moa
}

export interface ModelAsk {
  readonly answerer: Answerer
  readonly messages: readonly ChatMessage[]
  /** Tools, and whatever else goes with a request. */
  readonly rest: Readonly<Record<string, unknown>>
  /** The conversation. */
  readonly session: string
  /** Nothing that is said goes into what is kept of a turn. */
  readonly isPrivate?: boolean | undefined
  readonly signal: AbortSignal
}

/** It ends with one `end` or one `failed`. */
export type CallPart =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'progress'; readonly progress: RuntimeProgress }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly spent: readonly Spent[] }
  | { readonly type: 'failed'; readonly error: ModelError; readonly spent: readonly Spent[] }

/** Asks one model, or several by a preset; both come out the same. */
export async function* callModel(caller: ModelCaller, ask: ModelAsk): AsyncGenerator<CallPart, undefined> {
  if ('preset' in ask.answerer) yield* ofPreset(caller, ask, ask.answerer.preset)
  else yield* ofModel(caller, ask, ask.answerer)
}

async function* ofModel(
  { providers, prices }: ModelCaller,
  { messages, rest, session, signal }: ModelAsk,
  slot: { readonly provider: string; readonly model: string },
): AsyncGenerator<CallPart, undefined> {
  const provider = providers.get(slot.provider)
  if (!provider.ok) {
    yield { type: 'failed', error: unasked(provider.message), spent: [] }
    return
  }
  const startedAt = Date.now()
  const spentOn = (usage: Spent['usage'], error: ErrorClass | null): readonly Spent[] => [
    { ...slot, usage, error, costMicroUsd: costOf({ prices, providers }, slot, usage, startedAt) },
  ]
  const words = new Words()
  for await (const part of provider.value.chat(
    { model: slot.model, messages, rest },
    { stream: true, signal, session },
  )) {
    if (part.type !== 'chunk') yield* words.end()
    if (part.type === 'chunk') yield* words.take(part)
    else if (part.type === 'end')
      yield { type: 'end', reply: part.reply, spent: spentOn(part.reply.usage, null) }
    else yield { type: 'failed', error: part.error, spent: spentOn(part.error.usage, part.error.class) }
  }
}

async function* ofPreset(
  { moa }: ModelCaller,
  { messages, rest, session, signal, isPrivate }: ModelAsk,
  preset: string,
): AsyncGenerator<CallPart, undefined> {
  const ask = { messages, rest, stream: true }
  const turn = moa.run({ preset, session, from: 'chat', signal, isPrivate, ask })
  if (!turn.ok) {
    yield { type: 'failed', error: unasked(turn.message), spent: [] }
    return
  }
  const words = new Words()
  const nodes = adviceNodes()
  for await (const part of turn.value) {
    if (part.type === 'end' || part.type === 'failed') yield* words.end()
    if (part.type === 'chunk') yield* words.take(part)
    else if (part.type === 'end') yield { type: 'end', reply: part.reply, spent: spentBy(part, nodes) }
    else if (part.type === 'failed') yield { type: 'failed', error: part.error, spent: spentBy(part, nodes) }
    else for (const progress of nodes.progress(part)) yield { type: 'progress', progress }
  }
}

function spentBy(
  { call }: Extract<TurnPart, { type: 'end' | 'failed' }>,
  nodes: AdviceNodes,
): readonly Spent[] {
  const { advised, acted, turnId, iteration } = call
  const all = [
    ...advised.map((one, at) => ({ one, agent: nodes.idOf(turnId, iteration, at) })),
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

/** What is said and thought in the pieces of an answer. */
class Words {
  readonly #tags = new ThinkTags()
  /** Some say what they think in two fields: the first that they use counts. */
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
      const said = delta[field]
      if (typeof said === 'string' && said !== '') yield* this.#tags.take(said)
    }
  }

  end(): readonly CallPart[] {
    return this.#tags.end()
  }
}

const unasked = (message: string): ModelError => ({
  class: 'not_found',
  message,
  status: null,
  partial: '',
  usage: null,
})
