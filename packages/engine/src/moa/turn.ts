import type { ChatChunk, ChatMessage, ChatReply, ModelError } from '@panoptes/engine/models'
import { act } from './act.ts'
import { adviceFor } from './advice.ts'
import { type Called, type Caller, refused } from './call.ts'
import type { Advised } from './fan-out.ts'
import { labelOf, type ResolvedPreset } from './presets.ts'
import { withoutPersons } from './privacy.ts'
import { createQueue } from './queue.ts'
import type { SessionState } from './session.ts'
import { advisoryView } from './view.ts'
import { type Advice, guidanceText, noteOf, saidOf } from './words.ts'

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
  /** What the references were sent before, where that is asked again. */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
}

/** Asks the references where they have to be asked, then the acting model. It never throws, and ends with `end` or `failed`. */
export async function* runTurn(options: TurnOptions): AsyncGenerator<TurnPart, undefined> {
  const { caller, resolved, ask, signal, privacy } = options
  const { preset, name } = resolved
  const { now = Date.now } = caller
  const startedAt = now()
  const view = advisoryView(ask.messages, preset.reference_tool_result_budget)
  const parts = createQueue<TurnPart>()
  const asking = adviceFor(options, view, parts.put)
  asking.then(parts.end, parts.end)
  yield* parts.all()
  const { advice, advised, fanOut, turn } = await asking
  const shown = (text: string) => (privacy === '' ? text : withoutPersons(text))
  for (const [at, { label, reply, error }] of advised.entries())
    yield {
      type: 'reference',
      index: at + 1,
      count: advised.length,
      label,
      text: error ? noteOf(error.class, shown(error.message)) : shown(saidOf(reply?.text ?? '')),
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
    yield { type: 'failed', error: { ...refused('The turn was stopped.'), class: 'aborted' }, call }
    return
  }
  const aggregator = labelOf(preset.aggregator)
  const given = advice.filter((one): one is Advice => one.text !== null)
  yield {
    type: 'aggregating',
    turn_id: turn.id,
    iteration: turn.iteration,
    fan_out: fanOut,
    aggregator,
    ref_count: given.length,
  }
  const guidance = guidanceText({
    preset: name,
    aggregator,
    advice: privacy === 'full' ? given.map(withoutPersonsIn) : given,
    missing: advice.filter(({ text }) => text === null).map(({ label }) => label),
    policy: preset.degraded_reference_policy,
  })
  yield* act(options, guidance, about)
}

const withoutPersonsIn = ({ label, text }: Advice): Advice => ({ label, text: withoutPersons(text) })
