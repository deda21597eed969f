import {
  type ChatChunk,
  type ChatMessage,
  type ChatReply,
  hasContent,
  type ModelError,
} from '@panoptes/engine/models'
import { getAdvice } from './advice.ts'
import { advisoryView, mayWantAlternation } from './advisory-view.ts'
import type { ReferenceResult } from './fan-out.ts'
import {
  type Advice,
  formatFailureNote,
  formatGuidance,
  nonEmptyText,
  withGuidance,
  withMergedGuidance,
} from './guidance.ts'
import {
  type Caller,
  createInvalidError,
  type ModelCallResult,
  ownPriceName,
  slotCost,
  slotParameters,
} from './model-call.ts'
import { type ResolvedPreset, slotLabel } from './presets.ts'
import { maskPersonalData } from './privacy.ts'
import type { SessionState } from './session.ts'

export type PrivacyFilter = '' | 'display' | 'full'

/** What the acting model is asked, as the client sent it. */
export interface TurnAsk {
  readonly messages: readonly ChatMessage[]
  /** All other parameters, unchanged. */
  readonly rest: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

/** The acting model's call, with exactly what it was sent. */
export interface AggregatorResult extends ModelCallResult {
  readonly input: readonly ChatMessage[]
  readonly guidance: string | null
  readonly temperature: number | null
  /** The parameters that were sent besides the messages. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** One call of a turn from beginning to end. */
export interface TurnCall {
  readonly turnId: string
  readonly iteration: number
  readonly preset: string
  /** Whether references were asked for this call. */
  readonly fanOut: 'miss' | 'hit' | 'none'
  readonly advised: readonly ReferenceResult[]
  readonly acted: AggregatorResult | null
  readonly status: 'done' | 'failed' | 'aborted'
  readonly startedAt: number
  readonly endedAt: number
  readonly streamed: boolean
}

export type TurnPart =
  | {
      readonly type: 'asking'
      readonly turn_id: string
      readonly iteration: number
      readonly references: readonly { readonly label: string; readonly model: string }[]
    }
  | {
      readonly type: 'progress'
      readonly turn_id: string
      readonly iteration: number
      readonly refs_done: number
      readonly refs_total: number
      readonly label: string
      /** The index of the reference in the preset. */
      readonly at: number
      readonly error: string | null
    }
  | {
      readonly type: 'reference'
      readonly index: number
      readonly count: number
      readonly label: string
      readonly text: string
    }
  | {
      readonly type: 'aggregating'
      readonly turn_id: string
      readonly iteration: number
      readonly fan_out: TurnCall['fanOut']
      readonly aggregator: string
      readonly ref_count: number
    }
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly call: TurnCall }
  | { readonly type: 'failed'; readonly error: ModelError; readonly call: TurnCall }

export interface TurnOptions {
  readonly caller: Caller
  readonly resolved: ResolvedPreset
  readonly session: string
  readonly state: SessionState
  readonly ask: TurnAsk
  readonly signal: AbortSignal
  readonly privacy: PrivacyFilter
  /** The recorded input of the references, for a replay. */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
}

/**
 * Asks the references if necessary and then the acting model. It never throws; the last part is
 * `end` or `failed`.
 */
export async function* runTurn(options: TurnOptions): AsyncGenerator<TurnPart, undefined> {
  const { caller, resolved, ask, signal, privacy } = options
  const { preset, name } = resolved
  const { now = Date.now } = caller
  const startedAt = now()
  const view = advisoryView(ask.messages, preset.reference_tool_result_budget)
  const parts = createQueue<TurnPart>()
  const asking = getAdvice(options, view, parts.put)
  asking.then(parts.end, parts.end)
  yield* parts.all()
  const { advice, advised, fanOut, turn } = await asking
  const applyPrivacyFilter = (text: string) => (privacy === '' ? text : maskPersonalData(text))
  for (const [at, { label, reply, error }] of advised.entries())
    yield {
      type: 'reference',
      index: at + 1,
      count: advised.length,
      label,
      text: error
        ? formatFailureNote(error.class, applyPrivacyFilter(error.message))
        : applyPrivacyFilter(nonEmptyText(reply?.text ?? '')),
    }
  const about = {
    turnId: turn.id,
    iteration: turn.iteration,
    preset: name,
    fanOut,
    advised,
    startedAt,
    streamed: ask.stream,
  }
  if (signal.aborted) {
    const call = { ...about, acted: null, status: 'aborted' as const, endedAt: now() }
    yield {
      type: 'failed',
      error: { ...createInvalidError('The turn was stopped.'), class: 'aborted' },
      call,
    }
    return
  }
  const aggregator = slotLabel(preset.aggregator)
  const usableAdvice = advice.filter((one): one is Advice => one.text !== null)
  yield {
    type: 'aggregating',
    turn_id: turn.id,
    iteration: turn.iteration,
    fan_out: fanOut,
    aggregator,
    ref_count: usableAdvice.length,
  }
  const guidance = formatGuidance({
    preset: name,
    aggregator,
    advice: privacy === 'full' ? usableAdvice.map(maskAdvice) : usableAdvice,
    missing: advice.filter(({ text }) => text === null).map(({ label }) => label),
    policy: preset.degraded_reference_policy,
  })
  yield* askAggregator(options, guidance, about)
}

const maskAdvice = ({ label, text }: Advice): Advice => ({ label, text: maskPersonalData(text) })

/** Buffers the parts that arrive while the turn waits for something else. */
function createQueue<T>() {
  const waiting: T[] = []
  let wake = () => {}
  let isOver = false
  return {
    put: (part: T) => {
      waiting.push(part)
      wake()
    },
    end: () => {
      isOver = true
      wake()
    },
    all: async function* (): AsyncGenerator<T, undefined> {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (isOver) return
        else
          await new Promise<void>((woken) => {
            wake = woken
          })
      }
    },
  }
}

type About = Omit<TurnCall, 'acted' | 'status' | 'endedAt'>

/** Asks the acting model, with the guidance if there is any. */
async function* askAggregator(
  { caller, resolved, session, state, ask, signal }: TurnOptions,
  guidance: string | null,
  about: About,
): AsyncGenerator<TurnPart, undefined> {
  const { now = Date.now } = caller
  const { aggregator: slot, aggregator_temperature: own } = resolved.preset
  const label = slotLabel(slot)
  const temperature = own ?? (typeof ask.rest.temperature === 'number' ? ask.rest.temperature : null)
  const provider = caller.providers.get(slot.provider)
  const merged = guidance === null ? undefined : withMergedGuidance(ask.messages, guidance)
  let input = state.alternating.has(label) && merged ? merged : withGuidance(ask.messages, guidance)
  const rest = { ...ask.rest, ...slotParameters(slot, own) }
  const startedAt = now()
  let firstTokenAt: number | null = null
  const createResult = (reply: ChatReply | null, error: ModelError | null): AggregatorResult => {
    const usage = reply?.usage ?? error?.usage ?? null
    const costMicroUsd = slotCost(caller, slot, usage, startedAt)
    return {
      slot,
      label,
      startedAt,
      firstTokenAt,
      endedAt: now(),
      reply,
      error,
      usage,
      costMicroUsd,
      hasOwnPrice: ownPriceName(caller.prices, slot) !== undefined,
      input,
      wasSent: provider.ok,
      guidance,
      temperature,
      parameters: rest,
    }
  }
  const createFailedPart = (error: ModelError): TurnPart => ({
    type: 'failed',
    error,
    call: {
      ...about,
      acted: createResult(null, error),
      status: error.class === 'aborted' ? 'aborted' : 'failed',
      endedAt: now(),
    },
  })
  if (!provider.ok) {
    yield createFailedPart(createInvalidError(provider.message))
    return
  }
  const attempt = (messages: readonly ChatMessage[]) =>
    provider.value.chat({ model: slot.model, messages, rest }, { stream: ask.stream, signal, session })
  let isBegun = false
  for (let tries = 0; ; tries += 1) {
    let isAgain = false
    for await (const part of attempt(input)) {
      if (part.type === 'chunk') {
        if (firstTokenAt === null && hasContent(part.chunk)) firstTokenAt = now()
        isBegun = true
        yield part
      } else if (part.type === 'end') {
        // The endpoint accepted the merged messages after it rejected separate ones, so it only
        // gets merged ones from now on.
        if (tries > 0) state.alternating.add(label)
        if (!Array.isArray(part.reply.message.tool_calls)) state.markAnswered(about.turnId)
        yield {
          type: 'end',
          reply: part.reply,
          call: { ...about, acted: createResult(part.reply, null), status: 'done', endedAt: now() },
        }
      } else if (!isBegun && tries === 0 && merged && input !== merged && mayWantAlternation(part.error))
        isAgain = true
      else yield createFailedPart(part.error)
    }
    if (!isAgain || merged === undefined) return
    input = merged
  }
}
