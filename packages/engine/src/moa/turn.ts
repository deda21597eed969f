import { randomUUID } from 'node:crypto'
import type { ChatChunk, ChatMessage, ChatPart, ChatReply, ModelError } from '@panoptes/engine/models'
import { type Called, type Caller, costOf, parametersOf, refused, says } from './call.ts'
import { type Advised, type FanOut, fanOut } from './fan-out.ts'
import { withGuidance, withMergedGuidance } from './guidance.ts'
import { labelOf, type ResolvedPreset } from './presets.ts'
import { withoutPersons } from './privacy.ts'
import type { SessionState } from './session.ts'
import { type AdvisoryView, advisoryView } from './view.ts'
import { guidanceText } from './words.ts'

export type PrivacyFilter = '' | 'display' | 'full'

/** What the acting model is asked, as a client asked it. */
export interface TurnAsk {
  readonly messages: readonly ChatMessage[]
  /** All other parameters, untouched. */
  readonly rest: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

/** The acting model's call, with what exactly it was sent. */
export interface Acted extends Called {
  readonly input: readonly ChatMessage[]
  readonly guidance: string | null
  readonly temperature: number | null
  /** What was sent beside the messages. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** One call of a turn from beginning to end. */
export interface TurnCall {
  readonly turnId: string
  readonly iteration: number
  readonly preset: string
  /** Whether references were asked for it. */
  readonly fanOut: 'miss' | 'hit' | 'none'
  readonly advised: readonly Advised[]
  readonly acted: Acted | null
  readonly status: 'done' | 'failed' | 'aborted'
  readonly startedAt: number
  readonly endedAt: number
  readonly streamed: boolean
}

export type TurnPart =
  | {
      readonly type: 'asking'
      readonly turn_id: string
      readonly references: readonly { readonly label: string; readonly model: string }[]
    }
  | {
      readonly type: 'progress'
      readonly turn_id: string
      readonly refs_done: number
      readonly refs_total: number
      readonly label: string
      /** Its place in the preset, from 0 on. */
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
  | { readonly type: 'aggregating'; readonly aggregator: string; readonly ref_count: number }
  | { readonly type: 'chunk'; readonly chunk: ChatChunk }
  | { readonly type: 'end'; readonly reply: ChatReply; readonly call: TurnCall }
  | { readonly type: 'failed'; readonly error: ModelError; readonly call: TurnCall }

export interface TurnOptions {
  readonly caller: Caller
  readonly resolved: ResolvedPreset
  readonly state: SessionState
  readonly ask: TurnAsk
  readonly signal: AbortSignal
  readonly privacy: PrivacyFilter
  /** What the references were sent before, where that is asked again. */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
}

/** Asks the references where they have to be asked, then the acting model. It never throws, and ends with `end` or `failed`. */
export async function* runTurn(options: TurnOptions): AsyncGenerator<TurnPart, undefined> {
  const { caller, resolved, ask, signal, privacy } = options
  const { now = Date.now } = caller
  const startedAt = now()
  const view = advisoryView(ask.messages, resolved.preset.reference_tool_result_budget)
  const parts = createQueue<TurnPart>()
  const ran = advice(options, view, parts.put)
  ran.then(parts.end, parts.end)
  yield* parts.all()
  const { result, isMiss, turn } = await ran
  const shown = (text: string) => (privacy === '' ? text : withoutPersons(text))
  if (isMiss)
    for (const [at, { label, reply, error }] of result.advised.entries())
      yield {
        type: 'reference',
        index: at + 1,
        count: result.advised.length,
        label,
        text: error
          ? `[${error.class === 'skipped' ? 'skipped' : 'failed'}: ${shown(error.message)}]`
          : shown(reply?.text ?? ''),
      }
  const about = {
    turnId: turn.id,
    iteration: turn.iteration,
    preset: resolved.name,
    fanOut:
      resolved.references.length === 0 ? ('none' as const) : isMiss ? ('miss' as const) : ('hit' as const),
    advised: isMiss ? result.advised : [],
    startedAt,
    streamed: ask.stream,
  }
  if (signal.aborted) {
    const call = { ...about, acted: null, status: 'aborted' as const, endedAt: now() }
    yield { type: 'failed', error: { ...refused('The turn was stopped.'), class: 'aborted' }, call }
    return
  }
  const good = result.advised.filter(({ error }) => error === null)
  yield { type: 'aggregating', aggregator: labelOf(resolved.preset.aggregator), ref_count: good.length }
  const guidance = guidanceText({
    preset: resolved.name,
    aggregator: labelOf(resolved.preset.aggregator),
    advice: good.map(({ label, reply }) => ({
      label,
      text: (privacy === 'full' ? withoutPersons : same)(reply?.text || '(empty response)'),
    })),
    missing: result.advised.filter(({ error }) => error !== null).map(({ label }) => label),
    policy: resolved.preset.degraded_reference_policy,
  })
  yield* act(options, guidance, about)
}

const same = (text: string): string => text

interface Advising {
  readonly result: FanOut
  readonly isMiss: boolean
  readonly turn: { readonly id: string; readonly iteration: number }
}

async function advice(
  { caller, resolved, state, signal, inputs }: TurnOptions,
  view: AdvisoryView,
  tell: (part: TurnPart) => void,
): Promise<Advising> {
  const labels = resolved.references.map(labelOf)
  const { key, turn: turnKey } = state.rule.decide(resolved.preset.fanout, resolved.name, labels, view)
  const isNew = state.turn?.key !== turnKey
  const turn = isNew
    ? { key: turnKey, id: randomUUID(), iteration: 1 }
    : { ...state.turn, iteration: (state.turn?.iteration ?? 0) + 1 }
  state.turn = turn as NonNullable<SessionState['turn']>
  const now = { id: state.turn.id, iteration: state.turn.iteration }
  if (resolved.references.length === 0)
    return { result: { advised: [], aborted: false }, isMiss: false, turn: now }
  const kept = state.fanOut
  if (kept?.key === key) {
    const result = await kept.ran
    if (!result.aborted || signal.aborted) return { result, isMiss: false, turn: now }
  }
  tell({
    type: 'asking',
    turn_id: now.id,
    references: resolved.references.map((slot) => ({ label: labelOf(slot), model: slot.model })),
  })
  const ran = fanOut({
    caller,
    resolved,
    view: view.messages,
    signal,
    inputs,
    onDone: ({ label, error }, at, done) =>
      tell({
        type: 'progress',
        turn_id: now.id,
        refs_done: done,
        refs_total: resolved.references.length,
        label,
        at,
        error: error?.class ?? null,
      }),
  })
  const entry = { key, ran }
  state.fanOut = entry
  const result = await ran
  // What was broken off says nothing, and is asked again.
  if (result.aborted && state.fanOut === entry) state.fanOut = undefined
  return { result, isMiss: true, turn: now }
}

type About = Omit<TurnCall, 'acted' | 'status' | 'endedAt'>

async function* act(
  { caller, resolved, state, ask, signal }: TurnOptions,
  guidance: string | null,
  about: About,
): AsyncGenerator<TurnPart, undefined> {
  const { now = Date.now, prices } = caller
  const { aggregator: slot, aggregator_temperature: own } = resolved.preset
  const label = labelOf(slot)
  const temperature = own ?? (typeof ask.rest.temperature === 'number' ? ask.rest.temperature : null)
  const provider = caller.providers.get(slot.provider)
  const merged = guidance === null ? undefined : withMergedGuidance(ask.messages, guidance)
  let input = state.alternating.has(label) && merged ? merged : withGuidance(ask.messages, guidance)
  const rest = { ...ask.rest, ...parametersOf(slot, own) }
  const startedAt = now()
  let firstTokenAt: number | null = null
  const acted = (reply: ChatReply | null, error: ModelError | null): Acted => {
    const usage = reply?.usage ?? error?.usage ?? null
    const costMicroUsd = costOf(prices, slot, usage, startedAt)
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
      input,
      guidance,
      temperature,
      parameters: rest,
    }
  }
  const failed = (error: ModelError): TurnPart => ({
    type: 'failed',
    error,
    call: {
      ...about,
      acted: acted(null, error),
      status: error.class === 'aborted' ? 'aborted' : 'failed',
      endedAt: now(),
    },
  })
  if (!provider.ok) {
    yield failed(refused(provider.message))
    return
  }
  const attempt = (messages: readonly ChatMessage[]) =>
    provider.value.chat({ model: slot.model, messages, rest }, { stream: ask.stream, signal })
  let first: ChatPart | undefined
  for (let tries = 0; ; tries += 1) {
    let isAgain = false
    for await (const part of attempt(input)) {
      if (part.type === 'chunk') {
        if (firstTokenAt === null && says(part.chunk.choices[0]?.delta)) firstTokenAt = now()
        first = part
        yield part
      } else if (part.type === 'end') {
        // Once it took the two messages as one and not otherwise, it is sent no others.
        if (tries > 0) state.alternating.add(label)
        yield {
          type: 'end',
          reply: part.reply,
          call: { ...about, acted: acted(part.reply, null), status: 'done', endedAt: now() },
        }
      } else if (
        first === undefined &&
        tries === 0 &&
        merged &&
        input !== merged &&
        part.error.status === 400
      ) {
        isAgain = true
      } else yield failed(part.error)
    }
    if (!isAgain || merged === undefined) return
    input = merged
  }
}

/** Parts that come while something is waited for. */
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
